/// Merges the edges of a task with a ``StreamMerge``. Used in live runs, and wherever an edge limits its frames in flight.
final class MergeByStream: Join {
    private var hasFinished: [Bool]
    private var merge: StreamMerge<FrameCell>
    private var taken: [Item] = []
    /// The items that a reload has released.
    private var released: [Item] = []
    private var clocks: SourceClocks

    /// - Parameter edges: The edges; at least one.
    init(_ edges: [Edge], _ merge: StreamMerge<FrameCell>, clocks: SourceClocks) {
        hasFinished = edges.map { _ in false }
        self.merge = merge
        self.clocks = clocks
        super.init(store: edges[0].store, edges: edges)
    }

    deinit { store.discard(released + merge.drain()) }

    override var isMerged: Bool { true }
    override var mayBeLate: Bool { true }

    override var waitedFor: String {
        "frames on " + edges.indices.filter { !hasFinished[$0] }.map { edges[$0].name }.joined(separator: " or ")
    }

    override func look(into batch: inout [Item], used: inout [FrameCell]) -> Edge.Taken {
        swap(&batch, &released)
        while true {
            let hasTaken = takeFromEdges(into: &batch, &used)
            if !batch.isEmpty { return .items }
            // Only an edge that was found empty signals when it has items again.
            if hasTaken { continue }
            return hasFinished.allSatisfy(\.self) ? .finished : .nothing
        }
    }

    private func takeFromEdges(into batch: inout [Item], _ used: inout [FrameCell]) -> Bool {
        var hasTaken = false
        // If all edges are full, each may wait for items that are queued in another.
        let least = areAllFull(LaneTraits.room) ? LaneTraits.mostHeld : LaneTraits.room
        for index in edges.indices where !hasFinished[index] {
            // Limit the number of frames of each edge that wait here for other edges. After the sources have ended there is no
            // limit: frames may wait for the end of another edge, and only the frames already in flight arrive.
            let room = merge.isLimited(index) ? LaneTraits.mostHeld : least
            guard clocks.monitor.isDraining || !isFull(index, room) else { continue }
            switch edges[index].take(into: &taken, returning: &used) {
            case .items:
                hasTaken = true
                merge.add(taken, lane: index, into: &batch)
            case .finished:
                hasFinished[index] = true
                merge.finish(lane: index, into: &batch)
            case .nothing: break
            }
            taken.removeAll(keepingCapacity: true)
        }
        if areAllFull(LaneTraits.mostHeld), !clocks.monitor.isDraining { merge.makeRoom(into: &batch) }
        if clocks.requests.sources.isEmpty { return hasTaken }
        let waits = merge.waitsFor
        let count = batch.count
        for (stream, time) in waits {
            clocks.passApart(stream, time) { merge.goOn(stream, without: $0, in: $1, into: &batch) }
        }
        clocks.ask(for: batch.count == count ? waits : merge.waitsFor)
        return hasTaken
    }

    private func takeRest(of index: Int, into batch: inout [Item], _ used: inout [FrameCell]) {
        edges[index].takeRest(into: &taken, returning: &used)
        merge.add(taken, lane: index, into: &batch)
        taken.removeAll(keepingCapacity: true)
    }

    override func reconnect(to edges: [Edge]) {
        var used: [FrameCell] = []
        for index in edges.indices where self.edges[index] !== edges[index] && !hasFinished[index] {
            takeRest(of: index, into: &released, &used)
        }
        for cell in used { store.free(cell) }
        super.reconnect(to: edges)
    }

    private func isFull(_ index: Int, _ room: Int) -> Bool {
        merge.held[index] >= max(room, edges[index].policy.capacity)
    }

    private func areAllFull(_ room: Int) -> Bool { edges.indices.allSatisfy { hasFinished[$0] || isFull($0, room) } }

    override func flush(into batch: inout [Item], used: inout [FrameCell]) {
        for index in edges.indices where !hasFinished[index] { takeRest(of: index, into: &batch, &used) }
        // The edges themselves continue, so `hasFinished` does not change: the task waits for the next request.
        merge.flush(into: &batch)
        clocks.ask(for: [])
    }

    override func forEachHeld(_ body: (StreamID, Timestamp) -> Void) { merge.merged.forEachHeld(body) }

    override func release(_ streams: Set<StreamID>) -> [Item] { merge.release(streams) }

    override func abandon(_ rest: (Item) -> Void) {
        super.abandon(rest)
        (released + merge.drain()).forEach(rest)
        released = []
    }
}
