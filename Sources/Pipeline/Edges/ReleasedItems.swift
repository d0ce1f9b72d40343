/// The items that the consumer of an edge takes next, whatever is dropped. Superseded watermarks and receipts are removed in time, so
/// that there are never many more of them than streams.
struct ReleasedItems<Element: EdgeElement> {
    private(set) var items: [EdgeItem<Element>] = []

    /// The number of frames among the items.
    private(set) var frames = 0

    /// The number of items above which superseded watermarks are removed.
    private var limit = 64

    var isEmpty: Bool { items.isEmpty }

    mutating func append(_ item: EdgeItem<Element>) {
        if case .frame = item { frames += 1 }
        items.appendMark(item)
        guard items.count > limit else { return }
        items.removeSupersededMarks()
        limit = max(64, items.count * 2)
    }

    /// Moves all items into a buffer, which must be empty. Returns the number of frames among them.
    @discardableResult
    mutating func take(into buffer: inout [EdgeItem<Element>]) -> Int {
        swap(&items, &buffer)
        defer { (frames, limit) = (0, 64) }
        return frames
    }

    /// Removes and returns the items of streams.
    mutating func removeAll(of streams: Set<StreamID>) -> [EdgeItem<Element>] {
        let removed = items.removeAll(of: streams)
        for case .frame in removed { frames -= 1 }
        return removed
    }

    /// Removes the credits, because the consumer will take no more items.
    mutating func endCredits(_ ended: inout EndedCredits) { items.endCredits(&ended) }
}
