import Foundation
import Testing

/// Receives what a program reports to its service manager: the other end of sd_notify(3), as a datagram socket.
final class NotifyListener: Sendable {
    private let descriptor: Int32
    /// The value of NOTIFY_SOCKET.
    let name: String

    /// Binds to a path, or to a name after `@`.
    init(_ name: String) throws {
        self.name = name
        #if os(Linux)
            descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        #else
            descriptor = socket(AF_UNIX, SOCK_DGRAM, 0)
        #endif
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(name.utf8)
        let isAbstract = name.hasPrefix("@")
        if isAbstract { bytes[0] = 0 } else { bytes.append(0) }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t((MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2) + bytes.count)
        let bound = withUnsafePointer(to: address) { place in
            place.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        guard bound == 0 else { throw Program.Missing(description: "no socket \(name): \(errno)") }
    }

    deinit { close(descriptor) }

    /// Waits for a message. After a minute without one, records an issue and returns `nil`, because a program that has ended sends
    /// none.
    func next() -> String? {
        var buffer = [UInt8](repeating: 0, count: 65536)
        var room = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&room, 1, 60_000) == 1 else {
            Issue.record("nothing was reported to \(name) for a minute")
            return nil
        }
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return String(decoding: buffer[..<max(0, count)], as: UTF8.self)
    }

    /// Waits for the first message that contains a text.
    ///
    /// - Returns: All messages up to this one.
    func messages(until text: String) -> [String] {
        var all: [String] = []
        while let message = next() {
            all.append(message)
            if message.contains(text) { break }
        }
        return all
    }

    /// The messages that have arrived and were not read yet. Reads them, and does not wait for more.
    var waiting: [String] {
        var all: [String] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        while case let count = recv(descriptor, &buffer, buffer.count, 0), count > 0 {
            all.append(String(decoding: buffer[..<count], as: UTF8.self))
        }
        return all
    }
}

/// Reads a descriptor to its end, on a separate thread.
func readAway(_ descriptor: Int32) {
    Thread.detachNewThread {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while read(descriptor, &buffer, buffer.count) > 0 {}
    }
}
