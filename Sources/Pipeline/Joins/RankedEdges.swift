/// Takes several edges in the order of what their sources brought: what a merge or a join of a batch run reads.
///
/// Each edge carries, behind all that came of one item of a source, that item's ``SourceRank``. What stands before such a mark is
/// taken together, from the edge whose mark is the least; on a tie, from the edge named first. An edge that shows no mark is
/// waited for unless it can only show a greater one. So the order depends on what the edges carry, and not on when it
/// arrives.
struct RankedEdges {
    typealias Item = EdgeItem<FrameCell>

    private struct Lane {
        let edge: Edge
        var items: [Item] = []
        var head = 0
        /// How many items have been looked at, and where the next mark stands.
        var seen = 0
        var mark: (place: Int, rank: SourceRank)?
        /// The rank up to which everything was taken.
        var last = SourceRank()
        /// Whether the edge brings nothing any more, and whether that was taken note of.
        var hasFinished = false
        var hasEnded = false
        /// Whether it ended before everything had come.
        var isCut = false
        /// Cells that have been emptied, on their way back.
        var used: [FrameCell] = []

        /// The rank of what comes next, or `nil` while the edge does not show it. What comes behind the last mark comes of the
        /// source's end, right behind it.
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

        mutating func findMark() {
            mark = nil
            while seen < items.count {
                if case .progress(let rank) = items[seen] {
                    mark = (seen, rank)
                    seen += 1
                    return
                }
                seen += 1
            }
        }
    }

    private var lanes: [Lane]
    private var announced = SourceRank()
    private let monitor: RunMonitor

    /// Whether it waits for what an edge would have brought that was cut short by a failure: nothing may go on then.
    private(set) var isCutOff = false

    init(_ edges: [Edge], monitor: RunMonitor) {
        lanes = edges.map { Lane(edge: $0) }
        self.monitor = monitor
    }

    /// Whether nothing will come any more.
    var hasEnded: Bool { lanes.allSatisfy(\.hasEnded) }

    /// Whether nothing waits to be taken.
    var isEmpty: Bool { lanes.allSatisfy { $0.head == $0.items.count } }

    /// Whether a lane brings nothing any more.
    func hasEnded(_ lane: Int) -> Bool { lanes[lane].hasEnded }

    /// The source time that a lane has come to.
    func time(of lane: Int) -> Timestamp { lanes[lane].hasEnded ? .max : lanes[lane].last.time }

    /// The names of the edges that show nothing.
    func quiet(where isMeant: (Int) -> Bool = { _ in true }) -> [String] {
        lanes.indices.filter { lanes[$0].next == nil && isMeant($0) }.map { lanes[$0].edge.name }
    }

    /// The name of a lane's edge.
    func name(of lane: Int) -> String { lanes[lane].edge.name }

    /// The lane whose items come next; `nil` when something must come first. A lane that is closed is left alone, and nothing
    /// waits for it.
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
        // What they bring next may have to go first, or comes of the same item.
        unknown.removeAll { lanes[$0].last.successor > best.rank }
        isCutOff = unknown.contains { lanes[$0].isCut }
        return unknown.isEmpty ? best.lane : nil
    }

    /// Takes what a lane shows next, in order, and the rank that is complete on it then. `hasEnded`: the lane brings nothing any
    /// more.
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

    /// The rank to announce when no lane but closed ones brings anything any more that comes of an item of this rank; `nil` when
    /// one may. What a closed lane brings afterwards is announced behind it.
    mutating func completed(_ rank: SourceRank, isClosed: (Int) -> Bool = { _ in false }) -> SourceRank? {
        let isComplete = lanes.indices.allSatisfy {
            lanes[$0].hasEnded || isClosed($0) || lanes[$0].next ?? lanes[$0].last.successor > rank
        }
        guard isComplete else { return nil }
        announced = max(rank, announced.successor)
        return announced
    }

    /// Takes back a cell that has been emptied.
    mutating func recycle(_ cell: FrameCell, to lane: Int) { lanes[lane].used.append(cell) }

    /// Takes back cells that have been emptied, where all edges have cells of one kind.
    mutating func recycle(_ cells: inout [FrameCell]) {
        guard !cells.isEmpty, let lane = lanes.firstIndex(where: { !$0.hasFinished }) else { return }
        lanes[lane].used += cells
        cells.removeAll(keepingCapacity: true)
    }

    /// Tells the producers that nobody uses their frames any more.
    func renounce() {
        for lane in lanes { lane.edge.renounce() }
    }

    /// Ends the edges, and passes on what was taken from them but not given out.
    mutating func abandon(_ rest: (Item, Int) -> Void) {
        for index in lanes.indices {
            lanes[index].edge.abandon()
            for item in lanes[index].items[lanes[index].head...] { rest(item, index) }
            lanes[index].items = []
            (lanes[index].head, lanes[index].seen, lanes[index].mark) = (0, 0, nil)
        }
    }

    /// Frees all cells that are left.
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
