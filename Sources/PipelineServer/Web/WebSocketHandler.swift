/// Who speaks with one WebSocket. Everything is called in the server's thread.
protocol WebSocketHandler: AnyObject {
    /// A whole message has come.
    func received(_ message: [UInt8], isBinary: Bool)

    /// There is room for a message: the next, or `nil` when there is none.
    func next() -> WebMessage?

    /// Whether the connection is to be closed, once there is no next message.
    var isOver: Bool { get }

    /// The connection is gone.
    func closed()
}
