import CWebSockets

/// A WebSocket message, which can be sent to several clients.
// Safe to send between threads: after `init`, only libwebsockets writes to `memory`. It writes the frame header before the text,
// in the server's thread.
final class WebMessage: @unchecked Sendable {
    let isBinary: Bool
    let count: Int
    private let memory: UnsafeMutablePointer<UInt8>

    init(_ bytes: some Collection<UInt8>, isBinary: Bool = false) {
        self.isBinary = isBinary
        count = bytes.count
        memory = .allocate(capacity: Int(websockets_headroom) + max(1, bytes.count))
        memory.initialize(repeating: 0, count: Int(websockets_headroom))
        let text = UnsafeMutableBufferPointer(start: memory + Int(websockets_headroom), count: bytes.count)
        _ = text.initialize(fromContentsOf: bytes)
    }

    convenience init(_ text: String) { self.init(Array(text.utf8)) }

    deinit { memory.deallocate() }

    /// Sends the message. Returns whether the connection is still open.
    func write(to connection: OpaquePointer) -> Bool {
        let sent = lws_write(
            connection, memory + Int(websockets_headroom), count, isBinary ? LWS_WRITE_BINARY : LWS_WRITE_TEXT)
        return sent >= count
    }
}
