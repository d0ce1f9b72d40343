/// The input of a task: one edge, several merged by timestamp, or several aligned.
///
/// With several, an item goes on when every other edge that has not ended shows something later (on a tie, the edge
/// named first goes first). Quiet edges do not hold others back, because bounds travel in between the frames. The result
/// depends on what the edges carry, not on when it arrived.
final class MergedInput {
    typealias Item = EdgeItem<FrameCell>

    private struct Lane {
        let edge: Edge
        var items: [Item] = []
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
    private let store: FrameStore
    /// Cells that have been emptied, on their way back to the first edge.
    private var used: [FrameCell] = []
    /// Brings several together in a live run.
    private var byStream: StreamMerge<FrameCell>?
    private let own: OwnBounds?
    /// The sources whose time may let go what waits here, and the number to ask them under.
    private let askers: (sources: [LiveTime], asker: Int)
    /// Puts frames of several together, for a stage that asks for sets.
    private let aligned: AnyAlignedInput?
    /// Tells edges with slots which of their frames wait in `byStream`.
    private let joins: JoinReports?
    /// Whether it goes on to bring what is there when everything must end, as it does for a sink.
    private let delivers: Bool
    private let isBehindRenaming: Bool

    // Where no edge with slots bounds what waits for other edges, it waits on the edge when so many do.
    private static var leastRoom: Int { 64 }
    // And where one does, streams should not hold up each other.
    private static var mostHeld: Int { 4096 }

    init(
        edges: [Edge], aligned: AnyAlignedInput? = nil, waker: Waker, place: String, monitor: RunMonitor,
        byStream: StreamMerge<FrameCell>? = nil, joins: JoinReports? = nil, isBehindRenaming: Bool = false,
        own: OwnBounds? = nil, askers: (sources: [LiveTime], asker: Int) = ([], 0), delivers: Bool = false
    ) {
        self.delivers = delivers
        self.own = own
        self.askers = askers
        self.byStream = byStream
        self.joins = joins
        self.isBehindRenaming = isBehindRenaming
        self.aligned = aligned
        lanes = edges.map { Lane(edge: $0) }
        store = aligned?.store ?? edges.first?.store ?? FrameStore()
        self.waker = waker
        self.place = place
        self.monitor = monitor
    }

    deinit {
        for lane in lanes { store.discard(lane.items[lane.head...]) }
        store.discard(byStream?.drain() ?? [])
        for cell in used { store.free(cell) }
    }

    /// Destroys the frame in a cell that was taken, and keeps the cell for the edge to fill again.
    func recycle(_ cell: FrameCell) {
        store.empty(cell)
        used.append(cell)
    }

    /// Fills `batch`, which must be empty, with what comes next. `finished` is the end, also when the run is cancelled;
    /// after `nothing`, ``wait()`` and look again. Apart from waiting, so that what is there costs no asynchronous call.
    func look(into batch: inout [Item]) -> Edge.Taken {
        if monitor.isCancelled, !delivers || monitor.isClosed { return .finished }
        if let own {
            own.take(into: &batch)
            if !batch.isEmpty { return .items }
        }
        if lanes.count == 1 { return lanes[0].edge.take(into: &batch, returning: &used) }
        if let aligned { return look(into: &batch, aligned) }
        while true {
            var hasTaken = false
            if byStream == nil {
                hasTaken = refill()
                merge(into: &batch)
            } else {
                hasTaken = mergeByStream(into: &batch)
            }
            if !batch.isEmpty { return .items }
            // Only an edge that was found empty says when it has something again.
            if hasTaken { continue }
            return lanes.allSatisfy { $0.hasFinished && $0.isEmpty } ? .finished : .nothing
        }
    }

    private func look(into batch: inout [Item], _ aligned: AnyAlignedInput) -> Edge.Taken {
        aligned.fill(&batch, used: &used)
        if !batch.isEmpty { return .items }
        askForTime(aligned.waitsFor)
        return aligned.hasEnded ? .finished : .nothing
    }

    /// Waits until something may have come.
    nonisolated(nonsending) func wait() async { await waker.wait(for: "\(place) waits for \(waitedFor)") }

    /// Whether a frame may come of a stream that has gone on beyond it: what an edge brings for the first time of a stream
    /// that others have brought, and what comes of several streams that have got one name.
    var mayBeLate: Bool { byStream != nil || isBehindRenaming }

    /// Tells whoever sends that nobody does anything with it any more.
    func renounce() {
        aligned?.renounce()
        for lane in lanes { lane.edge.renounce() }
    }

    /// Says that no more will be taken, and hands back what was taken but not yet given out.
    func abandon(_ rest: (Item) -> Void) {
        aligned?.abandon()
        for lane in lanes {
            lane.edge.abandon()
            lane.items[lane.head...].forEach(rest)
        }
        byStream?.drain().forEach(rest)
        lanes = lanes.map { Lane(edge: $0.edge) }
    }

    private var waitedFor: String {
        if let aligned { return aligned.waitedFor }
        let quiet = lanes.filter { $0.isEmpty && !$0.hasFinished }.map(\.edge.name)
        return "frames on " + quiet.joined(separator: " or ")
    }

    private func refill() -> Bool {
        var hasTaken = false
        for index in lanes.indices where lanes[index].isEmpty && !lanes[index].hasFinished {
            lanes[index].items.removeAll(keepingCapacity: true)
            lanes[index].head = 0
            switch lanes[index].edge.take(into: &lanes[index].items, returning: &used) {
            case .items: hasTaken = true
            case .finished: lanes[index].hasFinished = true
            case .nothing: break
            }
        }
        return hasTaken
    }

    private func mergeByStream(into batch: inout [Item]) -> Bool {
        var hasTaken = false
        for index in lanes.indices where !lanes[index].hasFinished {
            // What waits here for other edges counts towards the room on its own.
            let least = joins?.isLimiting(index) ?? false ? Self.mostHeld : Self.leastRoom
            guard (byStream?.held[index] ?? 0) < max(least, lanes[index].edge.policy.capacity) else { continue }
            lanes[index].items.removeAll(keepingCapacity: true)
            switch lanes[index].edge.take(into: &lanes[index].items, returning: &used) {
            case .items:
                hasTaken = true
                if let joins { for item in lanes[index].items { joins.arrived(item, on: index) } }
                byStream?.add(lanes[index].items, lane: index, into: &batch)
            case .finished:
                lanes[index].hasFinished = true
                byStream?.finish(lane: index, into: &batch)
            case .nothing: break
            }
            lanes[index].items.removeAll(keepingCapacity: true)
        }
        if let joins {
            for item in batch { joins.passed(item) }
            joins.tell()
        }
        askForTime(byStream?.waitsFor ?? [])
        return hasTaken
    }

    /// Asks the sources to say when the time of streams of which frames wait has passed them.
    private func askForTime(_ waits: [(StreamID, Timestamp)]) {
        guard !askers.sources.isEmpty else { return }
        for (stream, time) in waits {
            for source in askers.sources { source.request(stream, time, by: askers.asker) }
        }
    }

    private func merge(into batch: inout [Item]) {
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

    private static func time(of item: Item) -> Timestamp? {
        switch item {
        case .frame(let frame): frame.timestamp
        case .bound(_, let time): time
        case .receipt, .end: nil
        }
    }
}
