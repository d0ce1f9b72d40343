import Pipeline

extension ZMQEndpoint {
    /// Finds out whether a socket could be bound here, by doing so for a moment. Of a socket's file nothing is touched.
    ///
    /// - Throws: The error that binding it in a run would end with.
    package func probe() throws {
        try checkFile()
        guard transport == .tcp else { return }
        var options = ZMQSocketOptions()
        (options.bind, options.ipv6) = ([self], isIPv6)
        let socket = try ZMQSocket(ZMQSource.Socket.pull.pattern, options, SocketReport(id: "probe", log: .silent))
        defer { socket.close() }
        _ = try socket.attach(options)
    }
}
