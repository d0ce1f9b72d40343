import Pipeline

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension ZMQEndpoint {
    /// Checks that the path of an `ipc` endpoint is free. libzmq does not check this, and would replace the file of a socket that
    /// is in use.
    ///
    /// - Throws: `zmq.address_in_use` when another socket listens at the path, or when the file is not a socket.
    func checkFile() throws {
        guard transport == .ipc, !address.hasPrefix("@"), address != "*" else { return }
        let path = String(address)
        var info = stat()
        guard lstat(path, &info) == 0 else { return }
        guard info.st_mode & S_IFMT == S_IFSOCK else {
            throw PipelineError.environment(
                "zmq.address_in_use", "cannot bind \(self): \(path) is a file, but not a socket",
                help: "choose another path; the file was not changed")
        }
        guard !Self.isListening(path) else { throw ZMQCode.addressInUse.refusing(self, .bind) }
    }

    /// Returns whether a socket's file accepts connections. The file left by a killed program does not.
    private static func isListening(_ path: String) -> Bool {
        #if canImport(Glibc)
            let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { return false }
        defer { SystemCalls.close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(ZMQEndpoint.longestPath)) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }
}
