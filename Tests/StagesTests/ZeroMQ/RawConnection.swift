import Foundation

@testable import Connectors
@testable import Stages

/// A TCP connection to 127.0.0.1 that sends any bytes.
// `@unchecked Sendable` because only one test uses it, with one call at a time.
final class RawConnection: @unchecked Sendable {
    private let descriptor: Int32

    /// Connects; `nil` if nobody listens.
    init?(_ port: UInt16) {
        #if canImport(Glibc)
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { return nil }
        // The time limit only ensures that a test ends: a closed connection is noticed immediately.
        var timeout = timeval(tv_sec: 60, tv_usec: 0)
        for option in [SO_SNDTIMEO, SO_RCVTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &timeout, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    /// Connects to the port of a `tcp` endpoint.
    convenience init?(_ endpoint: String) {
        guard let port = endpoint.split(separator: ":").last.flatMap({ UInt16($0) }) else { return nil }
        self.init(port)
    }

    deinit { SystemCalls.close(descriptor) }

    /// Sends bytes. Returns false if the other side has closed the connection, or has accepted nothing for a minute.
    @discardableResult
    func say(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            #if canImport(Glibc)
                let flags = Int32(MSG_NOSIGNAL)
            #else
                let flags: Int32 = 0
            #endif
            let sent = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, flags) }
            guard sent > 0 else { return false }
            rest = rest.dropFirst(sent)
        }
        return true
    }

    /// Lets the deinitializer reset the connection instead of closing it normally.
    func resets() {
        var atOnce = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &atOnce, socklen_t(MemoryLayout<linger>.size))
    }

    /// Waits for the given number of bytes. Returns fewer if the other side closes the connection, or sends nothing for a minute.
    func hear(bytes count: Int) -> [UInt8] {
        var words = [UInt8](repeating: 0, count: count)
        let heard = recv(descriptor, &words, count, Int32(MSG_WAITALL))
        return Array(words.prefix(max(0, heard)))
    }

    /// Performs the handshake of a peer without security, and waits for the answer: a peer that sends more before that may be
    /// disconnected. Returns false if the handshake fails.
    func shakeHands(as socket: String) -> Bool {
        guard say(ZMTP.greeting() + ZMTP.ready(socket)), hear(bytes: ZMTP.greeting().count).first == 0xFF else {
            return false
        }
        let head = hear(bytes: 2)
        return head.count == 2 && head[0] == 4 && hear(bytes: Int(head[1])).starts(with: [5] + Array("READY".utf8))
    }

    /// Listens until the other side closes the connection, or has sent nothing for the given time. Returns false in the latter
    /// case.
    @discardableResult
    func hear(forMs milliseconds: Int = 20_000) -> Bool {
        var timeout = timeval(tv_sec: milliseconds / 1000, tv_usec: 0)
        timeout.tv_usec = .init(milliseconds % 1000 * 1000)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        var words = [UInt8](repeating: 0, count: 4096)
        var count = 1
        while count > 0 { count = recv(descriptor, &words, words.count, 0) }
        return count == 0 || errno == ECONNRESET
    }
}

/// Messages of ZMTP, the protocol of ZeroMQ.
enum ZMTP {
    /// Returns the greeting of a peer without security.
    static func greeting(_ major: UInt8 = 3, _ minor: UInt8 = 0, mechanism: String = "NULL") -> [UInt8] {
        let name = Array(mechanism.utf8) + [UInt8](repeating: 0, count: 20 - mechanism.utf8.count)
        return [0xFF, 0, 0, 0, 0, 0, 0, 0, 0, 0x7F, major, minor] + name + [UInt8](repeating: 0, count: 32)
    }

    /// Returns one frame of less than 256 bytes.
    static func frame(_ body: [UInt8], isCommand: Bool = false, hasMore: Bool = false) -> [UInt8] {
        [(isCommand ? 4 : 0) | (hasMore ? 1 : 0), UInt8(body.count)] + body
    }

    /// Returns a command.
    static func command(_ name: String, _ data: [UInt8] = []) -> [UInt8] {
        frame([UInt8(name.utf8.count)] + Array(name.utf8) + data, isCommand: true)
    }

    /// Returns a property of a `READY` command.
    static func property(_ name: String, _ value: String) -> [UInt8] {
        [UInt8(name.utf8.count)] + Array(name.utf8) + [0, 0, 0, UInt8(value.utf8.count)] + Array(value.utf8)
    }

    /// Returns the command that ends the handshake.
    static func ready(_ socket: String) -> [UInt8] { command("READY", property("Socket-Type", socket)) }
}
