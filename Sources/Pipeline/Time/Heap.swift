/// A binary heap, which returns its least entry first.
struct Heap<Entry: Comparable> {
    private var entries: [Entry] = []

    /// The least entry; `nil` if the heap is empty.
    var first: Entry? { entries.first }

    var count: Int { entries.count }

    /// Adds an entry.
    ///
    /// - Complexity: O(log n).
    mutating func insert(_ entry: Entry) {
        entries.append(entry)
        var child = entries.count - 1
        while child > 0, entries[child] < entries[(child - 1) / 2] {
            entries.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// Removes and returns the least entry; `nil` if the heap is empty.
    ///
    /// - Complexity: O(log n).
    @discardableResult
    mutating func removeFirst() -> Entry? {
        guard let first = entries.first, let last = entries.popLast() else { return nil }
        guard !entries.isEmpty else { return first }
        entries[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < entries.count && entries[child] < entries[least] {
                least = child
            }
            guard least != parent else { return first }
            entries.swapAt(least, parent)
            parent = least
        }
    }
}
