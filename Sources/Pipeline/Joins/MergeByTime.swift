/// Merges the edges of a task in a batch run. The result depends on the content of the edges and not on arrival times: a
/// ``TimeMerge`` receives the items in the order of ``RankedEdges``.
final class MergeByTime: Join {
    private var ranked: RankedEdges
    private var merge: TimeMerge<FrameCell>
    private let place: String
    private let monitor: RunMonitor
    private var isLateReported = false

    /// - Parameters:
    ///   - edges: The edges; at least one.
    ///   - place: The name of the node whose edges are merged.
    init(_ edges: [Edge], lanes: [LaneTraits], maxStreams: Int, place: String, monitor: RunMonitor) {
        ranked = RankedEdges(edges, monitor: monitor)
        merge = TimeMerge(lanes: lanes, maxStreams: maxStreams)
        self.place = place
        self.monitor = monitor
        super.init(store: edges[0].store, edges: edges)
    }

    deinit {
        store.discard(merge.drain())
        ranked.freeAll()
    }

    override var isMerged: Bool { true }
    override var mayBeLate: Bool { true }
    override var waitedFor: String { "frames on " + ranked.quiet().joined(separator: " or ") }

    override func look(into batch: inout [Item], used: inout [FrameCell]) -> Edge.Taken {
        ranked.recycle(&used)
        while batch.count < 256 {
            guard let lane = ranked.next(isClosed: merge.isClosed) else {
                guard merge.lanes.indices.allSatisfy({ ranked.hasEnded($0) || merge.isClosed($0) }),
                    merge.makeRoom(into: &batch)
                else { break }
                continue
            }
            let (rank, hasEnded) = ranked.take(lane) { merge.add($0, $1, lane: lane) }
            if hasEnded { merge.finish(lane: lane) }
            guard let complete = ranked.completed(rank, isClosed: merge.isClosed) else { continue }
            merge.settle(into: &batch)
            batch.append(.mark(.progress(complete)))
            if let late = merge.late.take() { report(late) }
        }
        if !batch.isEmpty { return .items }
        return ranked.hasEnded || ranked.isCutOff ? .finished : .nothing
    }

    /// Fails the run because a frame is late: two sources with different clocks produce the same stream, and frames would be lost.
    private func report(_ late: TimeMerge<FrameCell>.Late) {
        // The times of failed frames may be wrong.
        guard !isLateReported, !store.isOfFailures else { return }
        isLateReported = true
        monitor.fail(
            place, .outOfStep(late.stream, at: late.time, on: ranked.name(of: late.lane), reached: late.reached))
    }

    override func flush(into batch: inout [Item], used: inout [FrameCell]) {
        while let lane = ranked.nextHeld() { _ = ranked.take(lane) { merge.add($0, $1, lane: lane) } }
        for lane in merge.lanes.indices { merge.finish(lane: lane) }
        merge.settle(into: &batch)
        if let late = merge.late.take() { report(late) }
    }

    override func reconnect(to edges: [Edge]) {
        super.reconnect(to: edges)
        ranked.reconnect(to: edges)
    }

    override func forEachHeld(_ body: (StreamID, Timestamp) -> Void) {
        ranked.forEachHeld(body)
        merge.merged.forEachHeld(body)
    }

    override func release(_ streams: Set<StreamID>) -> [Item] {
        var released = merge.release(streams)
        ranked.release(streams) { item, _ in released.append(item) }
        return released
    }

    override func abandon(_ rest: (Item) -> Void) {
        super.abandon(rest)
        merge.drain().forEach(rest)
        ranked.abandon { item, _ in rest(item) }
    }
}
