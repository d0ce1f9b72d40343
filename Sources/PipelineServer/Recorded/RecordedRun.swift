import Pipeline
import Stages
import Synchronization

/// What a recording makes of a pipeline: the run, and every frame and drop that was seen in it, in memory.
package final class RecordedRun: Sendable {
    /// The run, which is over.
    package let run: Run
    /// What became of it.
    package let report: RunReport
    /// Whether all that was seen is there; a recording too long for the memory is shown up to a time.
    package let isWhole: Bool

    /// Whether nothing was seen.
    package var isEmpty: Bool { items.isEmpty }

    let plan: Plan
    /// All that was seen, in the order of time.
    let items: [RecordedItem]

    /// About how much memory what is seen may take.
    package static var mostBytes: Int { 512 << 20 }

    /// Runs a pipeline whose sources bring a recording, and keeps what passes. Nothing is written: sinks take frames and do nothing
    /// with them.
    ///
    /// - Parameters:
    ///   - plan: The pipeline, with recordings in the place of its sources.
    ///   - watch: What its frames are seen by; made of the same plan.
    ///   - options: With a clock of simulated time.
    ///   - limit: About how many bytes may be kept.
    package init(_ plan: Plan, watch: RunWatch, options: Run.Options, limit: Int = RecordedRun.mostBytes) async {
        let plan = plan.replacingSinks { _, sink in Self.silent(sink) }
        let (seen, drops) = (SeenFrames(watch, limit: limit), SeenDrops(options.clock))
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
        // Of a moment first what comes first on the way.
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

    /// The question why a result is what it is; `nil` when there is no such result.
    func question(_ isMeant: (KeptResult) -> Bool) -> WhyQuestion? {
        guard let result = items.first(where: { $0.isResult(isMeant) })?.result else { return nil }
        return WhyQuestion(result, plan) { source in
            items.compactMap { item in
                if case .frame(let frame, source, _) = item.content { frame } else { nil }
            }
        }
    }
}

/// Takes what was noted at each node, up to a number of bytes.
// Belongs to one task.
private final class SeenFrames {
    private(set) var frames: [Int: [WatchedFrame]] = [:]
    private(set) var isFull = false
    private let watch: RunWatch
    private let limit: Int
    private var bytes = 0

    init(_ watch: RunWatch, limit: Int) { (self.watch, self.limit) = (watch, limit) }

    func take() {
        for (place, point) in watch.points {
            let taken = point.take()
            guard let last = taken.last else { continue }
            bytes += taken.count * (ShownFrame(last).payload?.count ?? 1 << 16)
            frames[place, default: []] += taken
        }
        guard bytes > limit, !isFull else { return }
        isFull = true
        for point in watch.points.values { point.want(0) }
    }
}

/// Notes drops and when they were.
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
