/// Events in virtual time, in milliseconds. Events of the same time happen in the order in which they were added.
final class VirtualEvents {
    private struct Event {
        let time: Int64
        let number: Int
        let body: () -> Void

        func isBefore(_ other: Event) -> Bool { (time, number) < (other.time, other.number) }
    }

    private(set) var now: Int64 = 0
    private(set) var count = 0
    /// A binary heap.
    private var heap: [Event] = []

    /// Adds an event.
    func at(_ time: Int64, _ body: @escaping () -> Void) {
        heap.append(Event(time: max(now, time), number: count, body: body))
        count += 1
        var child = heap.count - 1
        while child > 0, heap[child].isBefore(heap[(child - 1) / 2]) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// Adds an event some milliseconds from now.
    func after(_ milliseconds: Int64, _ body: @escaping () -> Void) { at(now + milliseconds, body) }

    /// Lets the next event happen. Returns whether there was one.
    func step() -> Bool {
        guard let first = heap.first else { return false }
        let last = heap.removeLast()
        if !heap.isEmpty {
            heap[0] = last
            sink()
        }
        now = first.time
        first.body()
        return true
    }

    /// Drops all events that have not happened.
    func removeAll() { heap = [] }

    private func sink() {
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && heap[child].isBefore(heap[least])
            {
                least = child
            }
            if least == parent { return }
            heap.swapAt(least, parent)
            parent = least
        }
    }
}
