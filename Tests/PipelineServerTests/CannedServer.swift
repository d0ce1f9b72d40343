import Foundation

/// A server that gives the same answer to every request, in parts with pauses between them.
// `@unchecked Sendable`: after `init`, only `deinit` changes anything.
final class CannedServer: @unchecked Sendable {
    let port: Int
    private let listener: Int32

    #if canImport(Darwin)
        private static let sendFlags: Int32 = 0
    #else
        // A client that closes the connection first must not end the tests.
        private static let sendFlags = Int32(MSG_NOSIGNAL)
    #endif

    /// What happens after the answer.
    enum Ending {
        /// The server closes the connection.
        case closes
        /// The connection stays open until the client closes it.
        case stalls
    }

    /// Returns `nil` if the server cannot listen at a port.
    init?(_ parts: [UInt8]..., then ending: Ending) {
        #if canImport(Darwin)
            let listener = socket(AF_INET, SOCK_STREAM, 0)
        #else
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        self.listener = listener
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 5) == 0 && getsockname(listener, $0, &size) == 0
            }
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        guard isBound else { return nil }
        Thread.detachNewThread {
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { break }
                var request: [UInt8] = []
                var buffer = [UInt8](repeating: 0, count: 4096)
                while !request.suffix(4).elementsEqual("\r\n\r\n".utf8) {
                    let count = recv(connection, &buffer, buffer.count, 0)
                    guard count > 0 else { break }
                    request += buffer[..<count]
                }
                for (number, part) in parts.enumerated() {
                    // Longer than `LiveFeed` waits for data before `next()` returns `nil`.
                    if number > 0 { usleep(300_000) }
                    _ = part.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Self.sendFlags) }
                }
                if ending == .stalls { while recv(connection, &buffer, buffer.count, 0) > 0 {} }
                close(connection)
            }
            close(listener)
        }
    }

    // Only the thread closes the listener. Otherwise it could still accept with this descriptor when another server has it.
    deinit { shutdown(listener, Int32(SHUT_RDWR)) }
}
