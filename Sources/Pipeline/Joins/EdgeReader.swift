/// Reads one edge of a join. The items wait here until the join takes them.
struct EdgeReader {
    typealias Item = EdgeItem<FrameCell>

    private(set) var edge: Edge
    /// The waiting items, first to last.
    private(set) var waiting = Deque<Item>()
    /// Emptied cells to return to the edge.
    var used: [FrameCell] = []
    /// Whether the edge has ended, so that nothing follows the waiting items.
    private(set) var hasFinished = false

    init(_ edge: Edge) { self.edge = edge }

    /// Whether a frame waits.
    var hasFrame: Bool { waiting.contains { if case .frame = $0 { true } else { false } } }

    /// Reads what waits on the edge.
    mutating func read() -> Edge.Taken {
        if hasFinished { return .finished }
        var taken: [Item] = []
        // Read into the reader's own memory if possible.
        if waiting.isEmpty { waiting.exchange(with: &taken) }
        let outcome = edge.take(into: &taken, returning: &used)
        if waiting.isEmpty { waiting.exchange(with: &taken) } else { waiting += taken }
        hasFinished = outcome == .finished
        return outcome
    }

    /// Removes and returns the first item. An item must be waiting.
    mutating func removeFirst() -> Item { waiting.removeFirst() }

    /// Reads everything that is still on its way over the edge.
    mutating func readRest() {
        var rest: [Item] = []
        edge.takeRest(into: &rest, returning: &used)
        waiting += rest
    }

    /// Continues with another edge, after everything from this one.
    mutating func reconnect(to next: Edge) {
        readRest()
        edge = next
    }

    /// Removes and returns the items of streams.
    mutating func release(_ streams: Set<StreamID>) -> [Item] { waiting.removeAll(of: streams) }

    /// Removes all items.
    mutating func removeAll() { waiting.removeAll() }

    /// Passes the stream and the time of each waiting frame to `body`.
    func forEachHeld(_ body: (StreamID, Timestamp) -> Void) {
        for case .frame(let cell) in waiting { body(cell.stream, cell.timestamp) }
    }

    /// Frees all cells.
    mutating func freeAll() {
        edge.store.discard(waiting)
        for cell in used { edge.store.free(cell) }
        used = []
        removeAll()
    }
}
