/// A client that watches a run over a WebSocket: the client's requests, and the queue of messages for it.
///
/// The queue is bounded. If a client reads too slowly, the oldest messages are dropped.
// Used only in the server's thread.
class Viewer: WebSocketHandler {
    let id: WebRequestID
    unowned let hub: LiveHub

    /// The watched nodes, with the remaining frame budget of each.
    var watched: [String: FrameBudget] = [:]

    private var queue = MessageQueue()
    /// Whether the connection must be closed once the queue is empty.
    private(set) final var closesWhenEmpty = false

    init(_ id: WebRequestID, _ hub: LiveHub) { (self.id, self.hub) = (id, hub) }

    // MARK: Overridable behavior

    /// Whether the client wants messages about results and drops.
    var wantsEvents: Bool { false }

    /// Returns whether a state message is due at a time in milliseconds.
    func wantsState(at now: Int64) -> Bool { false }

    /// Sends the first messages of a connection.
    func welcome() {}

    /// Returns the messages to send for a frame of a node.
    ///
    /// - Parameter written: A cache of messages, by the frame's number. It is shared by all viewers, so that each message is
    ///   serialized once.
    func messages(of seen: SeenFrame, at node: String, _ written: inout [Int: WebMessage]) -> [WebMessage] { [] }

    /// Does periodic work at a time in milliseconds.
    func tick(_ now: Int64) {}

    /// Called when the run has ended.
    func runEnded() {}

    func received(_ message: [UInt8], isBinary: Bool) {}

    // MARK: Message queue

    /// Adds a message to the queue. If the queue is full, drops the oldest messages.
    final func send(_ message: WebMessage) {
        queue.add(message)
        hub.wantsToWrite(self)
    }

    /// Sets the next state message. Replaces a state message that has not been sent.
    func send(state message: WebMessage, at now: Int64) {
        queue.state = message
        hub.wantsToWrite(self)
    }

    /// Ends the connection after all messages in the queue have been sent.
    final func end() {
        closesWhenEmpty = true
        hub.wantsToWrite(self)
    }

    final func next() -> WebMessage? { queue.next() }

    final func closed() { hub.remove(self) }
}
