import Foundation
import Pipeline

@testable import Stages

/// A server that answers whoever connects with the same words, whatever they say, and hangs up.
final class NoiseServer: Sendable {
    /// Where it is, on 127.0.0.1.
    let port: UInt16
    private let listener: Int32

    init(answering words: String) throws {
        #if canImport(Glibc)
            listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            // Who hangs up first must not end the tests.
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
        Thread.detachNewThread {
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return SystemCalls.close(listener) }
                _ = words.utf8CString.withUnsafeBytes { send(connection, $0.baseAddress, $0.count - 1, flags) }
                SystemCalls.close(connection)
            }
        }
    }

    /// Ends it.
    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }
}
