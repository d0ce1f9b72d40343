import Foundation
import Pipeline

@testable import Connectors

/// A server that sends predetermined bytes to every client and then closes the connection, whatever the client sends.
final class NoiseServer: Sendable {
    /// The port on 127.0.0.1.
    let port: UInt16
    private let listener: Int32
    private let (answered, told) = AsyncStream<Int>.makeStream()

    /// Creates a server that always sends the same text.
    convenience init(answering words: String) throws { try self.init(answering: [Array(words.utf8)]) }

    /// Creates a server that sends the next of several answers to each client, and the last one to all further clients.
    init(answering answers: [[UInt8]]) throws {
        #if canImport(Glibc)
            listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            // A client that closes the connection first must not end the tests.
            let flags = Int32(MSG_NOSIGNAL)
        #else
            listener = socket(AF_INET, SOCK_STREAM, 0)
            let flags: Int32 = 0
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 16) == 0 && getsockname(listener, $0, &size) == 0
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        guard isListening else { throw PipelineError.environment("test.listen", "no port is free") }
        Thread.detachNewThread { [told] in
            var number = 0
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return SystemCalls.close(listener) }
                let answer = answers[min(number, answers.count - 1)]
                number += 1
                _ = answer.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, flags) }
                // Data that was not read before the connection is closed would cause a reset.
                shutdown(connection, Int32(SHUT_WR))
                var words = [UInt8](repeating: 0, count: 1024)
                var timeout = timeval(tv_sec: 0, tv_usec: 100_000)
                setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
                while recv(connection, &words, words.count, 0) > 0 {}
                SystemCalls.close(connection)
                told.yield(number)
            }
        }
    }

    /// Waits until the given number of clients have connected and left.
    func answered(_ count: Int) async { for await number in answered where number >= count { return } }

    /// Stops the server.
    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }
}
