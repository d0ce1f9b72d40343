/// A handler for one WebSocket. All methods are called in the server's thread.
protocol WebSocketHandler: AnyObject {
    /// Called when a complete message has arrived.
    func received(_ message: [UInt8], isBinary: Bool)

    /// Returns the next message to send, or `nil` if there is none. Called when the connection has room for a message.
    func next() -> WebMessage?

    /// Whether the connection must be closed once ``next()`` returns `nil`.
    var closesWhenEmpty: Bool { get }

    /// Called when the connection is closed.
    func closed()
}
