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
        let (status, _) = try client.head(of: socket)
        guard status == 101 else {
            throw client.refused(
                status, status == 401 ? "this server requires its token" : "no WebSocket",
                help: status == 401 ? "give it with --token" : nil)
        }
        socket.wait(atMost: 200, returnsOnSignal: true)
    }

    /// Sends a message to the server.
    package func send(_ value: JSONValue) throws { try write(1, Array(value.text(isIndented: false).utf8)) }

    /// Returns the next message, or `nil` if nothing arrives within 200 ms or if a signal arrives.
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

    /// The header and the length of a frame whose rest has not arrived yet.
    private var header: [UInt8]?
    private var length: Int?

    /// Reads one WebSocket frame (RFC 6455), or returns `nil` if its rest does not arrive in time. The next call then continues
    /// with the same frame. The server sends whole messages without masks.
    private func frame() throws -> (opcode: UInt8, payload: [UInt8])? {
        if header == nil { header = try socket.take(2) }
        guard let header else { return nil }
        if length == nil { length = try payloadLength(header[1] & 0x7F) }
        guard let length, let payload = try socket.take(length) else { return nil }
        (self.header, self.length) = (nil, nil)
        return (header[0] & 0x0F, payload)
    }

    /// Returns the length of a frame's payload, or `nil` if it does not arrive in time.
    ///
    /// - Parameter short: The length in the frame's header: 126 and 127 mean that the length follows in 2 or 8 bytes.
    private func payloadLength(_ short: UInt8) throws -> Int? {
        guard short >= 126 else { return Int(short) }
        guard let bytes = try socket.take(short == 126 ? 2 : 8) else { return nil }
        let length = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard length <= ServerClient.mostBytes else {
            throw client.refused(0, "a message of \(length) bytes, and at most \(ServerClient.mostBytes) are read")
        }
        return Int(length)
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
