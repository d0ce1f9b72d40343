#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The socket over which a program reports its state to the service manager that started it: the protocol of sd_notify(3), without
/// its library.
struct NotifySocket: Sendable {
    private let address: sockaddr_un
    private let length: socklen_t

    /// Creates a socket from an absolute path, or from `@` and a name where the system has sockets without files (Linux). Fails for
    /// anything else.
    init?(_ path: String) {
        var name = Array(path.utf8)
        let isAbstract = name.first == UInt8(ascii: "@")
        #if canImport(Glibc)
            if isAbstract { name[0] = 0 }
        #else
            if isAbstract { return nil }
        #endif
        var address = sockaddr_un()
        let room = MemoryLayout.size(ofValue: address.sun_path)
        // A path is followed by a zero byte. An abstract name is not, because a zero byte would be part of the name.
        guard isAbstract || name.first == UInt8(ascii: "/"), name.count > 1, name.count < room else { return nil }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let begin = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? MemoryLayout<sa_family_t>.size
        length = socklen_t(begin + name.count + (isAbstract ? 0 : 1))
        self.address = address
    }

    /// Sends one message. Waits at most two seconds for room in the socket's buffer.
    ///
    /// - Returns: The system's error number if the message could not be sent; otherwise `nil`.
    func send(_ text: String) -> Int32? {
        #if canImport(Glibc)
            let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        #else
            let descriptor = socket(AF_UNIX, SOCK_DGRAM, 0)
        #endif
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        var patience = timeval(tv_sec: 2, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        let bytes = Array(text.utf8)
        let sent = withUnsafePointer(to: address) { place in
            place.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, bytes, bytes.count, 0, $0, length)
            }
        }
        return sent == bytes.count ? nil : errno
    }
}
