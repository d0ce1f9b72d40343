import Connectors
import Pipeline
import PipelineComponents
import Stages

/// Receives the WebSocket messages of a served run.
// Used only by its creator, in one thread.
package final class LiveFeed {
    private let socket: ClientSocket
    private let client: ServerClient

    /// Connects to a served run.
    package init(_ client: ServerClient) throws {
        self.client = client
        socket = try ClientSocket(client.address)
        // The protocol requires a key, but nothing depends on its value.
        let key = "cGlwZWxpbmUgbG9va3MgaW4="
        try socket.write(
            Array(
                ("GET /api/live HTTP/1.1\r\n\(client.headers)Upgrade: websocket\r\nConnection: Upgrade\r\n"
                    + "Sec-WebSocket-Key: \(key)\r\nSec-WebSocket-Version: 13\r\n\r\n").utf8))
        let (status, _) = try ServerClient.head(of: socket, client.refused(0, "no answer"))
        guard status == 101 else {
            throw client.refused(
                status, status == 401 ? "this server requires its token" : "no WebSocket",
                help: status == 401 ? "give it with --token" : nil)
        }
        socket.wait(atMost: 200)
    }

    /// Sends a message to the server.
    package func send(_ value: JSONValue) throws { try write(1, Array(value.text(isIndented: false).utf8)) }

    /// Returns the next message, or `nil` if none arrives within 200 ms.
    ///
    /// - Throws: An environment error if the connection has ended.
    package func next() throws -> [UInt8]? {
        while let (opcode, payload) = try frame() {
            switch opcode {
            case 1, 2: return payload
            case 8:
                throw PipelineError.environment(
                    "server.gone", "the server has ended the connection", help: "the run may have ended")
            case 9: try write(10, payload)
            default: break
            }
        }
        return nil
    }

    private var header: [UInt8]?

    /// Reads one WebSocket frame (RFC 6455), or returns `nil` if none arrives in time. The server sends whole messages without
    /// masks.
    private func frame() throws -> (opcode: UInt8, payload: [UInt8])? {
        if header == nil { header = try socket.take(2) }
        guard let header else { return nil }
        let long = Int(header[1] & 0x7F)
        // The server has already sent the rest of the frame, so wait longer for it.
        socket.wait(atMost: 10_000)
        defer { socket.wait(atMost: 200) }
        self.header = nil
        var length = long
        if long >= 126 {
            guard let bytes = try socket.take(long == 126 ? 2 : 8) else { throw client.refused(0, "half a message") }
            length = bytes.reduce(0) { $0 << 8 | Int($1) }
        }
        guard (0...1 << 26).contains(length), let payload = try socket.take(length) else {
            throw client.refused(0, "half a message")
        }
        return (header[0] & 0x0F, payload)
    }

    private func write(_ opcode: UInt8, _ payload: [UInt8]) throws {
        var frame: [UInt8] = [0x80 | opcode]
        if payload.count < 126 {
            frame.append(0x80 | UInt8(payload.count))
        } else {
            frame += [0x80 | 126, UInt8(payload.count >> 8 & 0xFF), UInt8(payload.count & 0xFF)]
        }
        // Servers require clients to send a mask. A mask of zeros leaves the payload unchanged.
        frame += [0, 0, 0, 0]
        try socket.write(frame + payload)
    }
}
