import Pipeline
import PipelineComponents

/// The options that the sockets of sources, sinks and stages share.
public struct ZMQSocketOptions: SharedOptions {
    public static let title = "Socket options"

    @Option(
        "Endpoints that others connect to, one or several: tcp, ipc or inproc.", example: "\"tcp://127.0.0.1:5556\"")
    public var bind: [ZMQEndpoint] = []

    @Option("Endpoints to connect to, one or several.", example: "\"tcp://127.0.0.1:5556\"")
    public var connect: [ZMQEndpoint] = []

    @Option("Time for unsent messages to leave at the end; -1 for no limit.", in: -1...86_400_000)
    public var lingerMs = 1000

    @Option(
        "Time before a lost connection is reopened. It doubles with every attempt, up to reconnect_max_ms.",
        in: 1...3_600_000)
    public var reconnectMs = 100

    @Option(
        "Longest time between two attempts; 0 keeps it at reconnect_ms.", in: 0...3_600_000)
    public var reconnectMaxMs = 5000

    @Option(
        "Time that a new connection has for its handshake before it is closed; 0 for no limit.", in: 0...3_600_000)
    public var handshakeMs = 5000

    @Option("Encrypts messages and proves who sent them.", example: "{ server_key_file: server.key }")
    public var curve: CurveOptions?

    @Option(
        "Requires a user name and a password, sent in clear text.",
        example: "{ username: camera, password_env: CAMERA_PASSWORD }")
    public var plain: PlainOptions?

    @Option(
        "Time between heartbeats to a silent peer. A peer that is silent for twice as long is disconnected. For sources and pair sinks, the operating system sends them, over tcp and in whole seconds. 0 for never.",
        in: 0...3_600_000)
    public var heartbeatMs = 0

    @Option("Whether the system watches idle TCP connections.")
    public var tcpKeepalive = false

    @Option("Whether IPv6 is used in addition to IPv4.")
    public var ipv6 = false

    @Option(
        "Number of threads that move bytes. One is enough for a gigabyte per second. Sockets with inproc endpoints share the threads of the first of them.",
        in: 1...64)
    public var ioThreads = 1

    public init() {}

    public func check(_ node: ConfigNode, _ context: DecodingContext) {
        checkEndpoints(node, context)
        checkPauses(node, context)
        checkSecurity(node, context)
    }

    private func checkEndpoints(_ node: ConfigNode, _ context: DecodingContext) {
        if bind.isEmpty, connect.isEmpty {
            context.findings.error(
                "zmq.no_endpoint", "neither bind nor connect is given", at: node.span, path: context.path,
                help:
                    "connect: \"tcp://127.0.0.1:5556\" if the other side binds; bind: \"tcp://127.0.0.1:5556\" if it connects"
            )
        }
        for (index, endpoint) in connect.enumerated() {
            guard let problem = endpoint.problemOfConnecting else { continue }
            report("zmq.bad_endpoint", "cannot connect to \(endpoint): \(problem)", "connect", index, node, context)
        }
        for (index, endpoint) in bind.enumerated() {
            if let (problem, help) = endpoint.problemOfBinding {
                report("zmq.bad_endpoint", "cannot bind \(endpoint): \(problem)", "bind", index, node, context, help)
            } else if !endpoint.isWildcard, bind.prefix(index).contains(endpoint) {
                report(
                    "zmq.endpoint_twice", "\(endpoint) is given twice and can be bound once", "bind", index, node,
                    context,
                    "leave one out: any number of peers can connect to it")
            }
        }
        guard !ipv6 else { return }
        for (name, endpoints) in [("bind", bind), ("connect", connect)] {
            for (index, endpoint) in endpoints.enumerated() where endpoint.isIPv6 {
                report(
                    "zmq.ipv6", "\(endpoint) is an address of IPv6, which is not switched on", name, index, node,
                    context,
                    "add ipv6: true")
            }
        }
    }

    /// Reports a problem with one of several endpoints.
    private func report(
        _ code: String, _ message: String, _ option: String, _ index: Int, _ node: ConfigNode,
        _ context: DecodingContext, _ help: String? = nil
    ) {
        let place = node[option]
        context.findings.error(
            code, message, at: (place?.sequence?[index] ?? place ?? node).span, path: context.path + ".\(option)",
            help: help)
    }

    /// Reports a longest pause that is shorter than the first one.
    private func checkPauses(_ node: ConfigNode, _ context: DecodingContext) {
        let (first, longest) = (reconnectMs, reconnectMaxMs)
        guard let place = node["reconnect_max_ms"], longest > 0, longest < first else { return }
        context.findings.error(
            "zmq.reconnect", "reconnect_max_ms: \(longest) is less than reconnect_ms, which is \(first)",
            at: place.span,
            path: context.path + ".reconnect_max_ms",
            help: "give at least \(first), or 0 for pauses that do not grow; or lower reconnect_ms")
    }

    /// Reports problems with the security options.
    private func checkSecurity(_ node: ConfigNode, _ context: DecodingContext) {
        if curve != nil, plain != nil {
            context.findings.error(
                "zmq.two_mechanisms", "curve and plain are both given", at: (node["plain"] ?? node).span,
                path: context.path + ".plain", help: "leave plain out: curve proves who a peer is, and encrypts")
        }
        guard curve == nil else { return }
        for (index, endpoint) in bind.enumerated() where !endpoint.isLocal {
            let place = node["bind"]
            context.findings.warning(
                "zmq.open_address", "everyone who reaches \(endpoint) can connect and read or send",
                at: (place?.sequence?[index] ?? place ?? node).span, path: context.path + ".bind",
                help: "curve: accepts only clients with a key; tcp://127.0.0.1 only programs on this machine")
        }
    }

    /// The options of separate sockets: one socket for all bound addresses, and one for each endpoint to connect to.
    var separated: [ZMQSocketOptions] {
        var places: [ZMQSocketOptions] = []
        if !bind.isEmpty {
            var place = self
            place.connect = []
            places.append(place)
        }
        for endpoint in connect {
            var place = self
            (place.bind, place.connect) = ([], [endpoint])
            places.append(place)
        }
        return places
    }

    /// Reports options that have no effect with this type of socket.
    func checkUnused(_ names: [String], with socket: String, _ node: ConfigNode, _ context: DecodingContext) {
        for name in names {
            guard let place = node[name] else { continue }
            context.findings.error(
                "zmq.no_effect", "\(name) has no effect with socket: \(socket)", at: place.span,
                path: context.path + ".\(name)", help: "leave it out")
        }
    }
}
