import Pipeline

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension ZMQEndpoint {
    /// Finds out whether a socket could be bound here, by doing so for a moment. Of a socket's file nothing is touched.
    ///
    /// - Throws: The error that binding it in a run would end with.
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
