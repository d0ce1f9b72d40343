/// A priority queue of the wake-ups of many streams: the earliest first, ties in the order of the streams' ordinals. Implemented as
/// a binary heap.
///
/// An entry is not removed when its stream requests another time. The caller that takes an entry must check whether it is still
/// valid.
struct WakeQueue {
    private var heap: [(time: Timestamp, ordinal: Int)] = []

    /// The earliest entry; `nil` if the queue is empty.
    var first: (time: Timestamp, ordinal: Int)? { heap.first }

    /// Adds an entry.
    ///
    /// - Complexity: O(log n).
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

    /// Removes the earliest entry.
    ///
    /// - Complexity: O(log n).
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
