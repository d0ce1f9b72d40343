import Pipeline
import Stages

/// A request to explain a result. The answer comes from processing the result's input again and recording the frames of every
/// node.
struct WhyQuestion: Sendable {
    /// The result to explain.
    let result: KeptResult
    private let whole: Plan
    private let inputs: [Int: [WatchedFrame]]

    /// The maximum number of frames that a step shows.
    private static var mostShown: Int { 50 }
    /// The maximum number of frames that a step shows if its frames are pieces of one object, such as a stroke.
    private static var mostPieces: Int { 1000 }
    /// The maximum number of frames to process again up to the result's own frame.
    private static var mostBefore: Int { 5000 }
    /// The maximum number of frames to process again after the result's own frame.
    private static var mostAfter: Int { 50 }

    /// Creates a question.
    ///
    /// - Parameter kept: Returns the kept frames of the source at an index of `whole`.
    init(_ result: KeptResult, _ whole: Plan, kept: (Int) -> [WatchedFrame]) {
        (self.result, self.whole) = (result, whole)
        inputs = Dictionary(
            uniqueKeysWithValues: WhyPlan.sources(of: result.node, whole).map { ($0, Self.chosen(kept($0), result)) })
    }

    /// Returns the frames of a source to process again: the frames of the result's stream, from a frame that does not depend on
    /// earlier frames to shortly after the frame with the result's sequence number. Empty if one of these two frames is not kept.
    private static func chosen(_ frames: [WatchedFrame], _ result: KeptResult) -> [WatchedFrame] {
        let own = frames.filter { $0.stream == result.stream }
        // If the source has no such stream, a stage has renamed it, so use the frames of all streams.
        let stream = own.isEmpty ? frames : own
        guard
            let place = stream.lastIndex(where: { $0.sequence == result.sequence && $0.timestamp <= result.timestamp })
        else { return [] }
        let before = stream[...place].suffix(mostBefore).drop { !$0.payload.beginsAnew }
        return before.isEmpty ? [] : Array(before) + stream[(place + 1)...].prefix(mostAfter)
    }

    /// The reason why the result cannot be explained; `nil` if it can.
    var problem: String? {
        if let problem = WhyPlan.problem(whole, result.node) { return problem }
        return inputs.values.allSatisfy(\.isEmpty)
            ? "the input of the result is not kept: it arrived before the first request, or too long ago" : nil
    }

    /// Processes the input again, and returns the answer as JSON.
    func answer() async -> [UInt8] {
        let part = WhyPlan(whole, to: result, inputs: inputs)
        let watch = RunWatch(nodes: part.plan.producers) {}
        for point in watch.points.values { point.want(.max) }
        var options = Run.Options()
        (options.watch, options.clock) = (watch, VirtualClock())
        _ = await Run(part.plan, options: options).finished()
        let seen = part.places.indices.map { watch.points[part.plan.nodes[$0].id]?.take() ?? [] }
        return WhyAnswer(result, whole, places: part.places, steps: seen.map(relevant), again: again(seen)).text
    }

    /// Returns the frame that corresponds to the result: the one with its sequence number, stream and timestamp.
    private func again(_ seen: [[WatchedFrame]]) -> WatchedFrame? {
        seen.last?.last {
            $0.sequence == result.sequence && $0.stream == result.stream && $0.timestamp == result.timestamp
        }
    }

    /// Returns the frames of a node that belong to the result: the frames with its sequence number or, if frames are pieces of one
    /// object, the pieces of the object up to the result.
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
