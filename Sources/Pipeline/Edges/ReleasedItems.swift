/// What an edge with slots has handed over and its consumer has not yet taken.
struct ReleasedItems<Element: EdgeElement> {
    private(set) var items: [EdgeItem<Element>] = []

    /// How many of them are frames.
    private(set) var frames = 0

    /// How many there may be before bounds that say nothing are taken out.
    private var limit = 64

    var isEmpty: Bool { items.isEmpty }

    mutating func append(_ item: EdgeItem<Element>) {
        if case .frame = item { frames += 1 }
        items.appendBound(item)
        guard items.count > limit else { return }
        items.removeOvertakenBounds()
        limit = max(64, items.count * 2)
    }

    /// Moves all into a buffer, which must be empty. Returns how many frames that are.
    mutating func take(into buffer: inout [EdgeItem<Element>]) -> Int {
        swap(&items, &buffer)
        defer { (frames, limit) = (0, 64) }
        return frames
    }

    /// Takes out the credits, for nobody takes from the edge any more.
    mutating func endCredits(_ ended: inout EndedCredits) {
        for item in items { ended.add(item) }
        items.removeAll { if case .credit = $0 { true } else { false } }
    }
}
