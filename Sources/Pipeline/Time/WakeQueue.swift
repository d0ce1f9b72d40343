/// Wake-ups of many streams, earliest first, ties in the order in which the streams came. A binary heap.
///
/// Entries are not taken back when a stream changes its mind: whoever takes one looks whether it still holds.
struct WakeQueue {
    private var heap: [(time: Timestamp, ordinal: Int)] = []

    /// The earliest entry.
    var first: (time: Timestamp, ordinal: Int)? { heap.first }

    /// Adds an entry. O(log n).
    mutating func insert(_ time: Timestamp, _ ordinal: Int) {
        heap.append((time, ordinal))
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child] < heap[parent] else { return }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    /// Takes the earliest entry out. O(log n).
    mutating func removeFirst() {
        guard let last = heap.popLast(), !heap.isEmpty else { return }
        heap[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && heap[child] < heap[least] {
                least = child
            }
            guard least != parent else { return }
            heap.swapAt(least, parent)
            parent = least
        }
    }
}
