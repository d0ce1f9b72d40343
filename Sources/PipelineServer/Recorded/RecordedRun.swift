import Pipeline
import Stages
import Synchronization

/// A finished run over a recording, with all of its observed frames and drops in memory.
package final class RecordedRun: Sendable {
    /// The run, which has ended.
    package let run: Run
    /// The report of the run.
    package let report: RunReport
    /// Whether all frames fit into the memory limit. Otherwise, the run was stopped early.
    package let isWhole: Bool

    /// Whether nothing was observed.
    package var isEmpty: Bool { items.isEmpty }

    let plan: Plan
    /// All observations, in order of time.
    let items: [RecordedItem]

    /// The approximate memory limit for observations, in bytes.
    package static var mostBytes: Int { 512 << 20 }

    /// Runs a pipeline whose sources read a recording, and keeps all frames. The sinks discard their frames.
    ///
    /// - Parameters:
    ///   - plan: The pipeline, with recordings in place of its sources.
    ///   - watch: The observer of the frames, created from the same plan.
    ///   - options: The options of the run, with a clock of simulated time.
    ///   - limit: The approximate number of bytes to keep.
    package init(_ plan: Plan, watch: RunWatch, options: Run.Options, limit: Int = RecordedRun.mostBytes) async {
        let plan = plan.replacingSinks { _, sink in Self.silent(sink) }
        let (seen, drops) = (SeenFrames(watch.points(of: plan), limit: limit), SeenDrops(options.clock))
        var options = options
        options.watch = watch
        options.onDrop = { drops.note($0) }
        for point in watch.points.values { point.want(.max) }
        let run = Run(plan, options: options)
        async let ended = run.finished()
        while !run.hasEnded, !seen.isFull {
            seen.take()
            try? await Task.sleep(for: .milliseconds(5))
        }
        if seen.isFull { run.stop() }
        report = await ended
        seen.take()
        (self.plan, self.run, isWhole) = (plan, run, !seen.isFull)
        items = Self.sorted(seen.frames, drops.all, plan, results: ServedRun.results(of: plan))
    }

    private static func sorted(
        _ frames: [Int: [WatchedFrame]], _ drops: [(time: Int64, drop: DropRecord)], _ plan: Plan, results: Set<Int>
    ) -> [RecordedItem] {
        // Items with the same time keep the order in which they are appended below: first the frames, by node in the order of the
        // plan, then the drops.
        let times = frames.values.compactMap { $0.map(\.arrival).min() } + drops.map(\.time)
        let begin = times.min() ?? 0
        var all: [(time: Int64, item: RecordedItem)] = []
        for place in frames.keys.sorted() {
            for frame in frames[place] ?? [] {
                let content = RecordedItem.Content.frame(frame, place: place, isResult: results.contains(place))
                let time = frame.arrival - begin
                all.append((time, RecordedItem(time: time / 1_000_000, node: plan.nodes[place].id, content: content)))
            }
        }
        for (time, drop) in drops {
            all.append((time - begin, RecordedItem(time: (time - begin) / 1_000_000, node: nil, content: .drop(drop))))
        }
        let order = all.indices.sorted { (all[$0].time, $0) < (all[$1].time, $1) }
        return order.enumerated().map { number, index in
            var item = all[index].item
            item.id = number + 1
            return item
        }
    }

    private static func silent<S: Sink>(_ sink: S) -> any Sink { Nothing<S.Input>() }

    /// Returns a question about the first result for which `isMeant` returns true; `nil` if there is no such result.
    func question(_ isMeant: (KeptResult) -> Bool) -> WhyQuestion? {
        guard let result = items.first(where: { $0.isResult(isMeant) })?.result else { return nil }
        return WhyQuestion(result, plan) { source in
            items.compactMap { item in
                if case .frame(let frame, source, _) = item.content { frame } else { nil }
            }
        }
    }
}

/// Collects the observed frames of each node. Stops the observation when the approximate size of the frames exceeds the limit.
// Used by one task.
private final class SeenFrames {
    private(set) var frames: [Int: [WatchedFrame]] = [:]
    private(set) var isFull = false
    private let points: [Int: WatchPoint]
    private let limit: Int
    private var bytes = 0

    init(_ points: [Int: WatchPoint], limit: Int) { (self.points, self.limit) = (points, limit) }

    func take() {
        for (place, point) in points {
            let taken = point.take()
            guard let last = taken.last else { continue }
            bytes += taken.count * (ShownFrame(last).payload?.count ?? 1 << 16)
            frames[place, default: []] += taken
        }
        guard bytes > limit, !isFull else { return }
        isFull = true
        for point in points.values { point.want(0) }
    }
}

/// Collects drops with their times. Drops beyond a maximum number are ignored.
private final class SeenDrops: Sendable {
    private let clock: any RunClock
    private let drops = Lock<[(time: Int64, drop: DropRecord)]>([])
    private static var most: Int { 200_000 }

    init(_ clock: any RunClock) { self.clock = clock }

    var all: [(time: Int64, drop: DropRecord)] { drops.withLock { $0 } }

    func note(_ drop: DropRecord) {
        let now = clock.now
        drops.withLock { if $0.count < Self.most { $0.append((now, drop)) } }
    }
}
