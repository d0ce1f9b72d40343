import Foundation

/// A server that answers every connection with the same bytes, once the head of a request has arrived.
final class CannedServer: Sendable {
    private let descriptor: Int32
    /// `127.0.0.1:41235`.
    let address: String

    init(_ answer: [UInt8]) throws {
        #if os(Linux)
            let made = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let made = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listens = withUnsafeMutablePointer(to: &place) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(made, $0, length) == 0 && listen(made, 8) == 0 && getsockname(made, $0, &length) == 0
            }
        }
        descriptor = made
        guard listens else { throw Program.Missing(description: "no socket: \(errno)") }
        address = "127.0.0.1:\(UInt16(bigEndian: place.sin_port))"
        // The thread ends when the socket is shut down.
        Thread.detachNewThread {
            while case let client = accept(made, nil, nil), client >= 0 {
                var request: [UInt8] = []
                var byte: UInt8 = 0
                while !request.suffix(4).elementsEqual("\r\n\r\n".utf8), read(client, &byte, 1) == 1 {
                    request.append(byte)
                }
                _ = write(client, answer, answer.count)
                shutdown(client, Int32(SHUT_WR))
                // What the client still sends is read, so that the answer is not lost with the connection.
                while read(client, &byte, 1) == 1 {}
                close(client)
            }
            close(made)
        }
    }

    /// Answers with a JSON document.
    convenience init(json: String) throws {
        try self.init(
            Array("HTTP/1.1 200 OK\r\nContent-Length: \(json.utf8.count)\r\n\r\n\(json)".utf8))
    }

    // Only the thread closes the socket. Otherwise it could still accept with this descriptor when another server has it.
    deinit { shutdown(descriptor, Int32(SHUT_RDWR)) }
}
