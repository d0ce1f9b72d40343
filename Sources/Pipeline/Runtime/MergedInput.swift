/// The input of a task: one edge, or several merged by timestamp.
///
/// With several, an item goes on when every other edge that has not ended shows something later (on a tie, the edge
/// named first goes first). Quiet edges do not hold others back, because bounds travel in between the frames. The result
/// depends on what the edges carry, not on when it arrived.
final class MergedInput<Payload: Pipeline.Payload> {
    private struct Lane {
        let edge: Edge<Payload>
        var items: [EdgeItem<Payload>] = []
        var head = 0
        var hasFinished = false
        /// The largest time seen: a frame of another stream with an earlier time keeps its place in its own edge.
        var time = Timestamp.beforeAll

        var isEmpty: Bool { head == items.count }
    }

    private var lanes: [Lane]
    private let waker: Waker
    private let place: String
    private let monitor: RunMonitor
    /// Brings several together in a live run.
    private var byStream: StreamMerge<Payload>?

    init(
        edges: [Edge<Payload>], waker: Waker, place: String, monitor: RunMonitor,
        byStream: StreamMerge<Payload>? = nil
    ) {
        self.byStream = byStream
        lanes = edges.map { Lane(edge: $0) }
        self.waker = waker
        self.place = place
        self.monitor = monitor
    }

    /// Fills `batch`, which must be empty, with what comes next; waits for it. Returns false at the end, and when the run
    /// is cancelled.
    func next(into batch: inout [EdgeItem<Payload>]) async -> Bool {
        while true {
            if monitor.isCancelled { return false }
            if lanes.count == 1 {
                switch lanes[0].edge.take(into: &batch) {
                case .items: return true
                case .finished: return false
                case .nothing: break
                }
            } else {
                if byStream == nil {
                    refill()
                    merge(into: &batch)
                } else {
                    mergeByStream(into: &batch)
                }
                if !batch.isEmpty { return true }
                if lanes.allSatisfy({ $0.hasFinished && $0.isEmpty }) { return false }
            }
            await waker.wait(for: "\(place) waits for \(waitedFor)")
        }
    }

    /// Whether nothing waits at this moment, so that a sink should make visible what it has.
    var isQuiet: Bool { lanes.allSatisfy(\.isEmpty) }

    /// Says that no more will be taken, and hands back what was taken but not yet given out.
    func abandon(_ rest: (EdgeItem<Payload>) -> Void) {
        for lane in lanes {
            lane.edge.abandon()
            lane.items[lane.head...].forEach(rest)
        }
        lanes = lanes.map { Lane(edge: $0.edge) }
    }

    private var waitedFor: String {
        let quiet = lanes.filter { $0.isEmpty && !$0.hasFinished }.map(\.edge.name)
        return "frames on " + quiet.joined(separator: " or ")
    }

    private func refill() {
        for index in lanes.indices where lanes[index].isEmpty && !lanes[index].hasFinished {
            lanes[index].items.removeAll(keepingCapacity: true)
            lanes[index].head = 0
            if case .finished = lanes[index].edge.take(into: &lanes[index].items) { lanes[index].hasFinished = true }
        }
    }

    private func mergeByStream(into batch: inout [EdgeItem<Payload>]) {
        for index in lanes.indices where !lanes[index].hasFinished {
            // What waits here for other edges counts towards the room on its own.
            guard (byStream?.held[index] ?? 0) < max(64, lanes[index].edge.policy.capacity) else { continue }
            lanes[index].items.removeAll(keepingCapacity: true)
            switch lanes[index].edge.take(into: &lanes[index].items) {
            case .items: byStream?.add(lanes[index].items, lane: index, into: &batch)
            case .finished:
                lanes[index].hasFinished = true
                byStream?.finish(lane: index, into: &batch)
            case .nothing: break
            }
            lanes[index].items.removeAll(keepingCapacity: true)
        }
    }

    private func merge(into batch: inout [EdgeItem<Payload>]) {
        while batch.count < 256 {
            var best: (index: Int, time: Timestamp)?
            for index in lanes.indices {
                if lanes[index].isEmpty {
                    if lanes[index].hasFinished { continue }
                    return
                }
                let time = max(lanes[index].time, Self.time(of: lanes[index].items[lanes[index].head]) ?? .beforeAll)
                if best.map({ time < $0.time }) ?? true { best = (index, time) }
            }
            guard let (index, time) = best else { return }
            lanes[index].time = time
            let item = lanes[index].items[lanes[index].head]
            lanes[index].head += 1
            switch item {
            case .frame: batch.append(item)
            // Another edge may still bring a frame at this very time.
            case .bound(let stream, let time): batch.append(.bound(stream, time.advanced(byMicroseconds: -1)))
            // A stream that ended on one edge may go on on another: the end of all edges finishes it.
            case .receipt, .end: break
            }
        }
    }

    private static func time(of item: EdgeItem<Payload>) -> Timestamp? {
        switch item {
        case .frame(let frame): frame.timestamp
        case .bound(_, let time): time
        case .receipt, .end: nil
        }
    }
}
