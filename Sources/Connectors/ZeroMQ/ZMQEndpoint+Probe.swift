import Pipeline

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension ZMQEndpoint {
    /// Checks whether a socket can be bound to this endpoint. For `tcp`, binds a socket for a moment. For `ipc`, checks the path
    /// and its folder without creating a file.
    ///
    /// - Throws: The error that binding the endpoint in a run would cause.
    package func probe() throws {
        try checkFile()
        if transport == .ipc, !address.hasPrefix("@"), address != "*" {
            let folder = address.lastIndex(of: "/").map { address.prefix(upTo: $0) } ?? "."
            guard access(folder.isEmpty ? "/" : String(folder), W_OK | X_OK) == 0 else {
                throw ZMQCode.last.refusing(self, .bind)
            }
        }
        guard transport == .tcp else { return }
        var options = ZMQSocketOptions()
        (options.bind, options.ipv6) = ([self], isIPv6)
        let socket = try ZMQSocket(ZMQSource.Socket.pull.pattern, options, SocketReport(id: "probe", log: .silent))
        defer { socket.close() }
        _ = try socket.attach(options)
    }
}
