/// A priority queue of values with deadlines: the earliest deadline first, ties in insertion order. Implemented as a binary heap.
struct DeadlineQueue<Value> {
    private struct Entry {
        let deadline: Int64
        let ordinal: Int
        let value: Value

        static func < (a: Entry, b: Entry) -> Bool { (a.deadline, a.ordinal) < (b.deadline, b.ordinal) }
    }

    private var heap: [Entry] = []
    private var nextOrdinal = 0

    /// The earliest deadline; `nil` if the queue is empty.
    var first: Int64? { heap.first?.deadline }

    /// Inserts a value that is due at `deadline`.
    ///
    /// - Complexity: O(log n).
    mutating func insert(_ value: Value, at deadline: Int64) {
        heap.append(Entry(deadline: deadline, ordinal: nextOrdinal, value: value))
        nextOrdinal += 1
        var child = heap.count - 1
        while child > 0, heap[child] < heap[(child - 1) / 2] {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// Removes and returns the value with the earliest deadline; `nil` if the queue is empty.
    ///
    /// - Complexity: O(log n).
    mutating func removeFirst() -> (deadline: Int64, value: Value)? {
        guard let first = heap.first, let last = heap.popLast() else { return nil }
        guard !heap.isEmpty else { return (first.deadline, first.value) }
        heap[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && heap[child] < heap[least] {
                least = child
            }
            guard least != parent else { return (first.deadline, first.value) }
            heap.swapAt(least, parent)
            parent = least
        }
    }
}
