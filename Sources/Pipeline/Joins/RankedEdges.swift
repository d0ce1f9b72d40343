/// Reads several edges in the order of the items of their sources. The joins of a batch run read their edges in this order.
///
/// After everything that was made from one item of a source, each edge carries a mark with the ``SourceRank`` of that item. The
/// items before a mark are taken together, from the edge with the lowest mark; if two marks are equal, from the edge named first.
/// If an edge has not delivered its next mark, the reader waits for that mark, unless it can only be higher than the lowest known
/// mark. The order therefore depends on the content of the edges and not on arrival times.
struct RankedEdges {
    typealias Item = EdgeItem<FrameCell>

    struct Lane {
        var edge: Edge
        var items: [Item] = []
        var head = 0
        /// The number of items that were searched for a mark.
        var seen = 0
        /// The next mark and its index; `nil` if it has not arrived.
        var mark: (place: Int, rank: SourceRank)?
        /// The rank up to which all items were taken.
        var last = SourceRank()
        /// Whether the edge has ended.
        var hasFinished = false
        /// Whether the edge has ended and all its items were taken.
        var hasEnded = false
        /// Whether the edge ended early, because of a failure.
        var isCut = false
        /// Emptied cells to return to the edge.
        var used: [FrameCell] = []

        /// The rank of the next items; `nil` if their mark has not arrived. Items after the last mark were made at the end of the
        /// source, so their rank directly follows that mark.
        var next: SourceRank? { mark?.rank ?? (hasFinished ? last.successor : nil) }

        mutating func fill(_ monitor: RunMonitor) {
            var taken: [Item] = []
            while mark == nil, !hasFinished, !isCut {
                switch edge.take(into: &taken, returning: &used) {
                case .items:
                    if head == items.count {
                        items.removeAll(keepingCapacity: true)
                        (head, seen) = (0, 0)
                        swap(&items, &taken)
                    } else {
                        items += taken
                        taken.removeAll(keepingCapacity: true)
                    }
                    findMark()
                case .finished: if monitor.isCutShort { isCut = true } else { hasFinished = true }
                case .nothing: return
                }
            }
        }

        /// Reads everything that waits on the edge.
        mutating func takeRest() {
            edge.takeRest(into: &items, returning: &used)
            if mark == nil { findMark() }
        }

        mutating func findMark() {
            mark = nil
            while seen < items.count {
                if case .mark(.progress(let rank)) = items[seen] {
                    mark = (seen, rank)
                    seen += 1
                    return
                }
                seen += 1
            }
        }
    }

    var lanes: [Lane]
    /// The last rank that ``completed(_:isClosed:)`` returned.
    private var announced = SourceRank()
    private let monitor: RunMonitor

    /// Whether the next items would come from an edge that a failure cut short. In that case nothing may be taken.
    private(set) var isCutOff = false

    init(_ edges: [Edge], monitor: RunMonitor) {
        lanes = edges.map { Lane(edge: $0) }
        self.monitor = monitor
    }

    /// Whether all edges have ended and all items were taken.
    var hasEnded: Bool { lanes.allSatisfy(\.hasEnded) }

    /// Whether a lane has ended and all its items were taken.
    func hasEnded(_ lane: Int) -> Bool { lanes[lane].hasEnded }

    /// Returns the time that a lane has reached: the time in the last mark that was taken from it, or ``Timestamp/max`` if it has
    /// ended.
    func time(of lane: Int) -> Timestamp { lanes[lane].hasEnded ? .max : lanes[lane].last.time }

    /// The names of the edges whose next mark has not arrived.
    func quiet(where isMeant: (Int) -> Bool = { _ in true }) -> [String] {
        lanes.indices.filter { lanes[$0].next == nil && isMeant($0) }.map { lanes[$0].edge.name }
    }

    /// The name of the edge of a lane.
    func name(of lane: Int) -> String { lanes[lane].edge.name }

    /// Returns the lane whose items come next; `nil` if an edge must deliver its mark first. Closed lanes are ignored: they are
    /// not read, and no lane waits for them.
    mutating func next(isClosed: (Int) -> Bool = { _ in false }) -> Int? {
        var best: (lane: Int, rank: SourceRank)?
        var unknown: [Int] = []
        for index in lanes.indices where !lanes[index].hasEnded && !isClosed(index) {
            if lanes[index].mark == nil, !lanes[index].hasFinished { lanes[index].fill(monitor) }
            guard let rank = lanes[index].next else {
                unknown.append(index)
                continue
            }
            if best.map({ rank < $0.rank }) ?? true { best = (index, rank) }
        }
        guard let best else {
            isCutOff = !unknown.isEmpty && unknown.allSatisfy { lanes[$0].isCut }
            return nil
        }
        // The remaining edges may still deliver items of a lower or equal rank.
        unknown.removeAll { lanes[$0].last.successor > best.rank }
        isCutOff = unknown.contains { lanes[$0].isCut }
        return unknown.isEmpty ? best.lane : nil
    }

    /// Returns the lane whose items come next if no other items arrive; `nil` if no lane has items.
    mutating func nextHeld() -> Int? {
        var best: (lane: Int, rank: SourceRank)?
        for index in lanes.indices where !lanes[index].hasEnded {
            if lanes[index].mark == nil, !lanes[index].hasFinished { lanes[index].fill(monitor) }
            guard lanes[index].head < lanes[index].items.count else { continue }
            let rank = lanes[index].next ?? lanes[index].last.successor
            if best.map({ rank < $0.rank }) ?? true { best = (index, rank) }
        }
        return best?.lane
    }

    /// Passes the next items of a lane to `body`, in order.
    ///
    /// - Returns: The rank up to which the lane is complete, and whether it has ended.
    mutating func take(_ index: Int, _ body: (Item, SourceRank) -> Void) -> (rank: SourceRank, hasEnded: Bool) {
        let end = lanes[index].mark?.place ?? lanes[index].items.count
        let rank = lanes[index].next ?? lanes[index].last.successor
        while lanes[index].head < end {
            body(lanes[index].items[lanes[index].head], rank)
            lanes[index].head += 1
        }
        if let mark = lanes[index].mark {
            lanes[index].last = mark.rank
            lanes[index].head += 1
            lanes[index].findMark()
        } else {
            lanes[index].last = lanes[index].last.successor
            lanes[index].hasEnded = true
        }
        return (lanes[index].last, lanes[index].hasEnded)
    }

    /// Returns the rank to announce downstream; `nil` if an open lane can still deliver an item of `rank`. Items that a closed
    /// lane delivers late are announced with a rank that is higher than all ranks announced before.
    mutating func completed(_ rank: SourceRank, isClosed: (Int) -> Bool = { _ in false }) -> SourceRank? {
        let isComplete = lanes.indices.allSatisfy {
            lanes[$0].hasEnded || isClosed($0) || lanes[$0].next ?? lanes[$0].last.successor > rank
        }
        guard isComplete else { return nil }
        announced = max(rank, announced.successor)
        return announced
    }

    /// Gives an emptied cell back to a lane.
    mutating func recycle(_ cell: FrameCell, to lane: Int) { lanes[lane].used.append(cell) }

    /// Gives emptied cells back to any lane. All edges must have cells of the same type.
    mutating func recycle(_ cells: inout [FrameCell]) {
        guard !cells.isEmpty, let lane = lanes.firstIndex(where: { !$0.hasFinished }) else { return }
        lanes[lane].used += cells
        cells.removeAll(keepingCapacity: true)
    }

    /// Continues with other edges. What waits on an old edge comes first.
    mutating func reconnect(to edges: [Edge]) {
        for index in lanes.indices where lanes[index].edge !== edges[index] {
            lanes[index].takeRest()
            lanes[index].edge = edges[index]
        }
    }

    /// Forgets the items that were read but not taken, and passes each to `rest` with its lane.
    mutating func abandon(_ rest: (Item, Int) -> Void) {
        for index in lanes.indices {
            for item in lanes[index].items[lanes[index].head...] { rest(item, index) }
            lanes[index].items = []
            (lanes[index].head, lanes[index].seen, lanes[index].mark) = (0, 0, nil)
        }
    }

    /// Frees all remaining cells.
    mutating func freeAll() {
        for index in lanes.indices {
            lanes[index].edge.store.discard(lanes[index].items[lanes[index].head...])
            for cell in lanes[index].used { lanes[index].edge.store.free(cell) }
            lanes[index].items = []
            lanes[index].used = []
            (lanes[index].head, lanes[index].seen, lanes[index].mark) = (0, 0, nil)
        }
    }
}
