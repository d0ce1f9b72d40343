/// Reads several edges in the order of the items of their sources. The joins of a batch run read their edges in this order.
///
/// After everything that was made from one item of a source, each edge carries a mark with the ``SourceRank`` of that item. The
/// items before a mark are taken together, from the edge with the lowest mark; if two marks are equal, from the edge named first.
/// If an edge has not delivered its next mark, the reader waits for that mark, unless it can only be higher than the lowest known
/// mark. The order therefore depends on the content of the edges and not on arrival times.
struct RankedEdges {
    typealias Item = EdgeItem<FrameCell>

    struct Lane {
        var reader: EdgeReader
        /// The number of waiting items that were searched for a mark.
        private var seen = 0
        /// The next mark and the number of items before it; `nil` if it has not arrived.
        private(set) var mark: (count: Int, rank: SourceRank)?
        /// The rank up to which all items were taken.
        fileprivate(set) var last = SourceRank()
        /// Whether the edge has ended and all its items were taken.
        fileprivate(set) var hasEnded = false
        /// Whether the edge ended early, because of a failure.
        private(set) var isCut = false

        init(_ edge: Edge) { reader = EdgeReader(edge) }

        /// The rank of the next items; `nil` if their mark has not arrived. Items after the last mark were made at the end of the
        /// source, so their rank directly follows that mark.
        var next: SourceRank? { mark?.rank ?? (reader.hasFinished && !isCut ? last.successor : nil) }

        /// Reads until the next mark has arrived, as far as possible.
        mutating func fill(_ monitor: RunMonitor) {
            while mark == nil, !reader.hasFinished {
                switch reader.read() {
                case .items: findMark()
                case .finished: isCut = monitor.isCutShort
                case .nothing: return
                }
            }
        }

        mutating func reconnect(to edge: Edge) {
            reader.reconnect(to: edge)
            if mark == nil { findMark() }
        }

        /// Removes and returns the items of streams.
        mutating func release(_ streams: Set<StreamID>) -> [Item] {
            defer { findMarkAnew() }
            return reader.release(streams)
        }

        /// Removes all items, and passes each to `rest`.
        mutating func abandon(_ rest: (Item) -> Void) {
            reader.waiting.forEach(rest)
            reader.removeAll()
            findMarkAnew()
        }

        /// Passes the items before the next mark to `body`, with their rank.
        fileprivate mutating func take(_ body: (Item, SourceRank) -> Void) {
            let rank = next ?? last.successor
            for _ in 0..<(mark?.count ?? reader.waiting.count) { body(reader.removeFirst(), rank) }
            last = rank
            guard mark != nil else {
                hasEnded = true
                return
            }
            _ = reader.removeFirst()
            findMarkAnew()
        }

        private mutating func findMarkAnew() {
            seen = 0
            findMark()
        }

        private mutating func findMark() {
            mark = nil
            for item in reader.waiting.dropFirst(seen) {
                seen += 1
                if case .mark(.progress(let rank)) = item {
                    mark = (seen - 1, rank)
                    return
                }
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
        lanes = edges.map { Lane($0) }
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
        lanes.indices.filter { lanes[$0].next == nil && isMeant($0) }.map { lanes[$0].reader.edge.name }
    }

    /// The name of the edge of a lane.
    func name(of lane: Int) -> String { lanes[lane].reader.edge.name }

    /// Returns the lane whose items come next; `nil` if an edge must deliver its mark first. Closed lanes are ignored: they are
    /// not read, and no lane waits for them.
    mutating func next(isClosed: (Int) -> Bool = { _ in false }) -> Int? {
        var best: (lane: Int, rank: SourceRank)?
        var unknown: [Int] = []
        for index in lanes.indices where !lanes[index].hasEnded && !isClosed(index) {
            lanes[index].fill(monitor)
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
            lanes[index].fill(monitor)
            guard !lanes[index].reader.waiting.isEmpty else { continue }
            let rank = lanes[index].next ?? lanes[index].last.successor
            if best.map({ rank < $0.rank }) ?? true { best = (index, rank) }
        }
        return best?.lane
    }

    /// Passes the next items of a lane to `body`, in order.
    ///
    /// - Returns: The rank up to which the lane is complete, and whether it has ended.
    mutating func take(_ index: Int, _ body: (Item, SourceRank) -> Void) -> (rank: SourceRank, hasEnded: Bool) {
        lanes[index].take(body)
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
    mutating func recycle(_ cell: FrameCell, to lane: Int) { lanes[lane].reader.used.append(cell) }

    /// Gives emptied cells back to any lane. All edges must have cells of the same type.
    mutating func recycle(_ cells: inout [FrameCell]) {
        guard !cells.isEmpty, let lane = lanes.firstIndex(where: { !$0.reader.hasFinished }) else { return }
        lanes[lane].reader.used += cells
        cells.removeAll(keepingCapacity: true)
    }

    /// Continues with other edges. What waits on an old edge comes first.
    mutating func reconnect(to edges: [Edge]) {
        for index in lanes.indices where lanes[index].reader.edge !== edges[index] {
            lanes[index].reconnect(to: edges[index])
        }
    }

    /// Forgets the items that were read but not taken, and passes each to `rest` with its lane.
    mutating func abandon(_ rest: (Item, Int) -> Void) {
        for index in lanes.indices { lanes[index].abandon { rest($0, index) } }
    }

    /// Passes the stream and the time of each frame that was read but not taken to `body`.
    func forEachHeld(_ body: (StreamID, Timestamp) -> Void) {
        for lane in lanes { lane.reader.forEachHeld(body) }
    }

    /// Removes those items of the streams that were read but not taken, and passes each to `body` with its lane.
    mutating func release(_ streams: Set<StreamID>, _ body: (Item, Int) -> Void) {
        for index in lanes.indices { for item in lanes[index].release(streams) { body(item, index) } }
    }

    /// Frees all remaining cells.
    mutating func freeAll() {
        for index in lanes.indices { lanes[index].reader.freeAll() }
    }
}
