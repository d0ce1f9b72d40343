/// A priority queue of values with deadlines: the earliest deadline first, ties in insertion order.
struct DeadlineQueue<Value> {
    private struct Entry: Comparable {
        let deadline: Int64
        let ordinal: Int
        let value: Value

        static func == (a: Entry, b: Entry) -> Bool { a.ordinal == b.ordinal }
        static func < (a: Entry, b: Entry) -> Bool { (a.deadline, a.ordinal) < (b.deadline, b.ordinal) }
    }

    private var heap = Heap<Entry>()
    private var nextOrdinal = 0

    /// The earliest deadline; `nil` if the queue is empty.
    var first: Int64? { heap.first?.deadline }

    /// Inserts a value that is due at `deadline`.
    ///
    /// - Complexity: O(log n).
    mutating func insert(_ value: Value, at deadline: Int64) {
        heap.insert(Entry(deadline: deadline, ordinal: nextOrdinal, value: value))
        nextOrdinal += 1
    }

    /// Removes and returns the value with the earliest deadline; `nil` if the queue is empty.
    ///
    /// - Complexity: O(log n).
    mutating func removeFirst() -> (deadline: Int64, value: Value)? {
        heap.removeFirst().map { ($0.deadline, $0.value) }
    }
}
