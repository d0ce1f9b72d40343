import Pipeline

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A blocking connection to a server.
// Used only by its creator, in one thread.
final class ClientSocket {
    private let descriptor: Int32
    private let address: ServerAddress
    private var received: [UInt8] = []
    private var returnsOnSignal = false

    /// Connects to a server.
    ///
    /// - Throws: An environment error if no server listens at the address.
    init(_ address: ServerAddress, seconds: Int = 10) throws {
        self.address = address
        var hints = addrinfo()
        #if canImport(Glibc)
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
            hints.ai_socktype = SOCK_STREAM
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(address.host, "\(address.port)", &hints, &list) == 0, let first = list else {
            throw PipelineError.environment("server.unreachable", "there is no machine \(address.host)")
        }
        defer { freeaddrinfo(list) }
        var made: Int32 = -1
        var error: Int32 = 0
        for entry in sequence(first: first, next: { $0.pointee.ai_next }) {
            made = socket(entry.pointee.ai_family, entry.pointee.ai_socktype, entry.pointee.ai_protocol)
            guard made >= 0 else { continue }
            if connect(made, entry.pointee.ai_addr, entry.pointee.ai_addrlen) == 0 { break }
            error = errno
            close(made)
            made = -1
        }
        guard made >= 0 else {
            throw PipelineError.environment(
                "server.unreachable", "nobody answers at \(address.name): \(String(cString: strerror(error)))",
                help: "pipectl run … --serve \(address.name) serves a run there")
        }
        descriptor = made
        wait(atMost: seconds * 1000)
    }

    deinit { close(descriptor) }

    /// Sets the maximum time that a read or write waits, in milliseconds.
    ///
    /// - Parameter returnsOnSignal: Whether a signal ends a read early, so that the caller can check whether it should stop.
    func wait(atMost milliseconds: Int, returnsOnSignal: Bool = false) {
        self.returnsOnSignal = returnsOnSignal
        var time = timeval()
        time.tv_sec = milliseconds / 1000
        time.tv_usec = numericCast(milliseconds % 1000 * 1000)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    /// Sends all bytes. Throws an environment error if the connection has ended.
    func write(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                send(descriptor, $0.baseAddress.map { $0 + sent }, bytes.count - sent, Self.sendFlags)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw gone }
            sent += count
        }
    }

    #if canImport(Glibc)
        private static let sendFlags = Int32(MSG_NOSIGNAL)
    #else
        private static let sendFlags: Int32 = 0
    #endif

    /// Returns the next `count` bytes from the server, or `nil` if they do not arrive in time. Bytes received so far are kept.
    func take(_ count: Int) throws -> [UInt8]? {
        while received.count < count { guard try receiveMore() else { return nil } }
        defer { received.removeFirst(count) }
        return Array(received[..<count])
    }

    /// Returns the bytes from the server up to and including `mark`, or `nil` if `mark` does not arrive in time. Throws an
    /// environment error if about `limit` bytes arrive without `mark`.
    func take(until mark: [UInt8], atMost limit: Int) throws -> [UInt8]? {
        while true {
            if let end = received.indices.first(where: { received[$0...].starts(with: mark) }) {
                defer { received.removeFirst(end + mark.count) }
                return Array(received[..<(end + mark.count)])
            }
            guard received.count < limit else { throw gone }
            guard try receiveMore() else { return nil }
        }
    }

    /// Returns all bytes until the server closes the connection, or `nil` if this does not happen in time or if there are more
    /// than `limit` bytes.
    func takeAll(atMost limit: Int) throws -> [UInt8]? {
        while received.count <= limit {
            switch try receive() {
            case .bytes: continue
            case .nothing: return nil
            case .end:
                defer { received = [] }
                return received
            }
        }
        return nil
    }

    private enum Arrival {
        /// Bytes were added to `received`.
        case bytes
        /// No bytes arrived in time, or a signal ended the wait.
        case nothing
        /// The server closed the connection.
        case end
    }

    /// Waits for bytes and adds them to `received`. Returns false if no bytes arrive in time, or if a signal ends the wait.
    private func receiveMore() throws -> Bool {
        switch try receive() {
        case .bytes: true
        case .nothing: false
        case .end: throw gone
        }
    }

    private func receive() throws -> Arrival {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count > 0 {
                received += buffer[..<count]
                return .bytes
            }
            if count == 0 { return .end }
            if errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR && returnsOnSignal { return .nothing }
            guard errno == EINTR else { throw gone }
        }
    }

    private var gone: PipelineError {
        .environment("server.gone", "\(address.name) has ended the connection", help: "the run may have ended")
    }
}
