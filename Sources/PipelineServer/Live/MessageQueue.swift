/// The messages that wait to be sent to a viewer. If there are too many or they are too large, the oldest ones are dropped.
///
/// A state does not wait behind other messages, so that a viewer that reads slowly still gets states. Only the first message of a
/// connection goes before it.
struct MessageQueue {
    /// The messages except states, oldest first.
    private(set) var waiting: [WebMessage] = []
    /// The newest state; `nil` once it has been sent.
    var state: WebMessage?
    private var bytes = 0
    private var hasBegun = false

    static let mostMessages = 256
    static let mostBytes = 2 << 20

    /// Adds a message. Keeps it, however large it is, and drops the oldest messages while the queue is too long. O(`mostMessages`).
    mutating func add(_ message: WebMessage) {
        waiting.append(message)
        bytes += message.count
        while waiting.count > Self.mostMessages || bytes > Self.mostBytes && waiting.count > 1 { _ = takeOldest() }
    }

    /// Removes and returns the message to send next; `nil` if there is none. O(`mostMessages`).
    mutating func next() -> WebMessage? {
        defer { hasBegun = true }
        return hasBegun ? state.take() ?? takeOldest() : takeOldest() ?? state.take()
    }

    private mutating func takeOldest() -> WebMessage? {
        guard !waiting.isEmpty else { return nil }
        bytes -= waiting[0].count
        return waiting.removeFirst()
    }
}
