import Pipeline
import Stages

/// The question of why a result came out as it did. To answer it, the input of the result is run again and every step is recorded.
struct WhyQuestion: Sendable {
    /// The result to explain.
    let result: KeptResult
    private let whole: Plan
    private let inputs: [Int: [WatchedFrame]]

    /// The limits on frames: how many a step shows, how many it shows if they continue one another, and how many are run again
    /// before and after the result's own frame.
    private static var mostShown: Int { 50 }
    private static var mostPieces: Int { 1000 }
    private static var mostBefore: Int { 5000 }
    private static var mostBehind: Int { 50 }

    /// Creates a question.
    ///
    /// - Parameter kept: Returns the kept frames of a source, by its index.
    init(_ result: KeptResult, _ whole: Plan, kept: (Int) -> [WatchedFrame]) {
        (self.result, self.whole) = (result, whole)
        inputs = Dictionary(
            uniqueKeysWithValues: WhyPlan.sources(of: result.node, whole).map { ($0, Self.chosen(kept($0), result)) })
    }

    /// Selects the relevant frames of a source: those of the result's stream, from a frame that does not depend on earlier ones
    /// until shortly after the result's own frame.
    private static func chosen(_ frames: [WatchedFrame], _ result: KeptResult) -> [WatchedFrame] {
        let own = frames.filter { $0.stream == result.stream }
        // If the stream has no frames here, a stage has renamed it.
        let stream = own.isEmpty ? frames : own
        guard
            let place = stream.lastIndex(where: { $0.sequence == result.sequence && $0.timestamp <= result.timestamp })
        else { return [] }
        let before = stream[...place].suffix(mostBefore)
        return Array(before.drop { !$0.payload.beginsAnew }) + stream[(place + 1)...].prefix(mostBehind)
    }

    /// The reason why the result cannot be explained; `nil` if it can.
    var problem: String? {
        if let problem = WhyPlan.problem(whole, result.node) { return problem }
        return inputs.values.allSatisfy(\.isEmpty)
            ? "what it was made of is not kept: it came before anybody looked, or too long ago" : nil
    }

    /// Runs the input again and returns the answer.
    func answer() async -> [UInt8] {
        let part = WhyPlan(whole, to: result.node, inputs: inputs)
        let watch = RunWatch(nodes: part.plan.producers) {}
        for point in watch.points.values { point.want(.max) }
        var options = Run.Options()
        (options.watch, options.clock) = (watch, VirtualClock())
        _ = await Run(part.plan, options: options).finished()
        let seen = part.places.indices.map { watch.points[part.plan.nodes[$0].id]?.take() ?? [] }
        return WhyAnswer(result, whole, places: part.places, steps: seen.map(relevant), again: again(seen)).text
    }

    /// Returns the frame that the result's node emitted in place of the result.
    private func again(_ seen: [[WatchedFrame]]) -> WatchedFrame? {
        seen.last?.last {
            $0.sequence == result.sequence && $0.stream == result.stream && $0.timestamp == result.timestamp
        }
    }

    /// Selects the frames of a node that belong to the result.
    private func relevant(_ frames: [WatchedFrame]) -> [WatchedFrame] {
        let past = frames.filter { $0.sequence <= result.sequence && $0.timestamp <= result.timestamp }
        guard let last = past.last else { return [] }
        if type(of: last.payload).continuity == .continues {
            let begin = past.lastIndex { $0.payload.beginsAnew } ?? 0
            return Array(past[begin...].suffix(Self.mostPieces))
        }
        let own = past.filter { $0.sequence == result.sequence }
        return own.isEmpty ? [last] : Array(own.suffix(Self.mostShown))
    }
}
