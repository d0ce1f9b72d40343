/// The messages that wait to be sent to a viewer. If there are too many or they are too large, the oldest ones are dropped.
struct MessageQueue {
    /// The messages, oldest first.
    private(set) var waiting: [WebMessage] = []
    private var bytes = 0

    static let mostMessages = 256
    static let mostBytes = 2 << 20

    /// Adds a message. Keeps it, however large it is, and drops the oldest messages while the queue is too long. O(`mostMessages`).
    mutating func add(_ message: WebMessage) {
        waiting.append(message)
        bytes += message.count
        while waiting.count > Self.mostMessages || bytes > Self.mostBytes && waiting.count > 1 { _ = next() }
    }

    /// Removes and returns the oldest message; `nil` if there is none. O(`mostMessages`).
    mutating func next() -> WebMessage? {
        guard !waiting.isEmpty else { return nil }
        bytes -= waiting[0].count
        return waiting.removeFirst()
    }
}
