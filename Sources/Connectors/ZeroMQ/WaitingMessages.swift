import CZMQ

/// A queue of messages that were taken out of a socket and have not been read yet.
final class WaitingMessages {
    /// The maximum number of messages.
    var room: Int

    /// The number of messages.
    private(set) var count = 0

    /// Whether the message that was added last is incomplete, because more of its parts follow.
    private(set) var endsWithin = false

    /// The parts of the messages, in a ring buffer whose capacity is a power of two.
    private var ring: UnsafeMutablePointer<zmq_msg_t>
    private var capacity = 64
    /// The index of the first part.
    private var head = 0
    /// The number of parts in the ring.
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

    /// Adds a part of a message. The part is moved, so it is empty afterwards.
    func add(_ part: UnsafeMutablePointer<zmq_msg_t>) {
        if parts == capacity { grow() }
        let place = ring + ((head + parts) & (capacity - 1))
        endsWithin = zmq_msg_more(part) != 0
        if !endsWithin { count += 1 }
        zmq_msg_init(place)
        zmq_msg_move(place, part)
        parts += 1
    }

    /// Moves the next part into a message. Returns `false` when there is none.
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
