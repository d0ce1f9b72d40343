import CZMQ

/// Messages that were taken out of a socket and that nobody has read yet, in turn.
final class WaitingMessages {
    /// How many may wait.
    var room: Int

    /// How many wait.
    private(set) var count = 0

    /// Whether the last message is not complete yet.
    private(set) var endsWithin = false

    /// Their parts, in a ring of a power of two of places.
    private var ring: UnsafeMutablePointer<zmq_msg_t>
    private var capacity = 64
    private var head = 0
    private var parts = 0

    init(room: Int) {
        self.room = room
        ring = .allocate(capacity: capacity)
    }

    deinit {
        while parts > 0 {
            zmq_msg_close(ring + head)
            advance()
        }
        ring.deallocate()
    }

    /// Adds a part of a message, by which it is emptied.
    func add(_ part: UnsafeMutablePointer<zmq_msg_t>) {
        if parts == capacity { grow() }
        let place = ring + ((head + parts) & (capacity - 1))
        endsWithin = zmq_msg_more(part) != 0
        if !endsWithin { count += 1 }
        zmq_msg_init(place)
        zmq_msg_move(place, part)
        parts += 1
    }

    /// Moves the next part into a message; false when none is there.
    func take(into message: UnsafeMutablePointer<zmq_msg_t>) -> Bool {
        guard parts > 0 else { return false }
        zmq_msg_move(message, ring + head)
        if zmq_msg_more(message) == 0 { count -= 1 }
        zmq_msg_close(ring + head)
        advance()
        return true
    }

    private func advance() {
        head = (head + 1) & (capacity - 1)
        parts -= 1
    }

    private func grow() {
        let larger = UnsafeMutablePointer<zmq_msg_t>.allocate(capacity: 2 * capacity)
        for index in 0..<parts {
            zmq_msg_init(larger + index)
            zmq_msg_move(larger + index, ring + ((head + index) & (capacity - 1)))
        }
        ring.deallocate()
        (ring, capacity, head) = (larger, 2 * capacity, 0)
    }
}
