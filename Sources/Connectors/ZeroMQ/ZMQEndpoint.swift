import Pipeline
import PipelineComponents

/// The address of a socket: `tcp://host:port`, `ipc://path` or `inproc://name`.
public struct ZMQEndpoint: OptionValue, Hashable, CustomStringConvertible {
    /// The ways to use an endpoint.
    enum Action: String {
        case bind, connect
    }

    /// The transport of the messages.
    public enum Transport: String, CaseIterable, Sendable {
        /// The network.
        case tcp
        /// A socket in the file system.
        case ipc
        /// The memory of this process.
        case inproc
    }

    /// The text of the endpoint, as libzmq expects it.
    public let text: String

    /// The transport of the messages.
    public let transport: Transport

    /// The longest path of a socket's file, in bytes: the smallest limit of all supported systems.
    static let longestPath = 103

    public static var schema: ValueSchema { .string }
    public var yaml: String? { text.yaml }
    public var description: String { text }

    /// The part after `://`.
    var address: Substring { text.dropFirst(transport.rawValue.utf8.count + 3) }

    /// Creates an endpoint from its text.
    ///
    /// - Parameters:
    ///   - text: The endpoint, such as `tcp://127.0.0.1:5556`.
    ///   - baseDirectory: The folder that the path of an `ipc` endpoint is relative to.
    /// - Throws: The configuration error `zmq.bad_endpoint`, which describes the problem.
    public init(_ text: String, baseDirectory: String = ".") throws(PipelineError) {
        guard let colon = text.firstRange(of: "://") else {
            throw Self.bad(text, "it does not begin with tcp://, ipc:// or inproc://")
        }
        let name = String(text[..<colon.lowerBound])
        let address = String(text[colon.upperBound...])
        guard let transport = Transport(rawValue: name) else {
            throw Self.bad(text, "\"\(name)\" is none of tcp, ipc and inproc")
        }
        self.transport = transport
        guard !address.isEmpty else { throw Self.bad(text, "nothing follows \(name)://") }
        switch transport {
        case .tcp:
            try Self.checkTCP(address, text)
            self.text = text
        case .ipc:
            let isElsewhere = address.hasPrefix("/") || address.hasPrefix("@") || address == "*"
            let isHere = baseDirectory.isEmpty || baseDirectory == "."
            let path = isElsewhere || isHere ? address : baseDirectory + "/" + address
            guard path.utf8.count <= Self.longestPath else {
                throw Self.bad(text, "the path has \(path.utf8.count) bytes, more than \(Self.longestPath)")
            }
            guard !path.utf8.contains(0) else { throw Self.bad(text, "the path holds a NUL") }
            self.text = "ipc://" + path
        case .inproc:
            guard address.utf8.count <= 255 else { throw Self.bad(text, "the name has more than 255 bytes") }
            self.text = text
        }
    }

    public static func decode(_ node: ConfigNode, _ context: DecodingContext) -> ZMQEndpoint? {
        guard let text = String.decode(node, context) else { return nil }
        do {
            let endpoint = try ZMQEndpoint(text, baseDirectory: context.folder(of: node))
            context.noteAddress(endpoint.text, at: node)
            return endpoint
        } catch {
            context.findings.error(
                error.code, error.message, at: node.span, path: context.path, help: error.help)
            return nil
        }
    }

    /// The part before the port of a `tcp` endpoint.
    private var host: Substring { address.prefix(upTo: address.lastIndex(of: ":") ?? address.endIndex) }

    /// The host of a `tcp` endpoint: a name, an IPv4 address or `*`. `nil` for an IPv6 address and for other transports.
    package var hostName: String? { transport == .tcp && !host.hasPrefix("[") ? String(host) : nil }

    /// Whether this is an IPv6 address, which sockets support only with `ipv6: true`.
    package var isIPv6: Bool { transport == .tcp && host.hasPrefix("[") }

    /// Whether each socket that binds this endpoint gets an address of its own, which the system chooses.
    var isWildcard: Bool { address == "*" || transport == .tcp && (address.hasSuffix(":*") || address.hasSuffix(":0")) }

    /// Whether only programs on this machine can reach this endpoint.
    var isLocal: Bool {
        guard transport == .tcp else { return true }
        return host == "localhost" || host == "[::1]" || host == "lo" || host.hasPrefix("127.")
    }

    /// The problem with binding this endpoint, or `nil` when there is none. libzmq does not resolve host names when it binds.
    package var problemOfBinding: (problem: String, help: String)? {
        guard transport == .tcp, host == "localhost" else { return nil }
        let port = address.dropFirst(host.utf8.count)
        return (
            "localhost is a name, but binding needs an address",
            "write tcp://127.0.0.1\(port) for programs on this machine, tcp://*\(port) for all"
        )
    }

    /// The problem with connecting to this endpoint, or `nil` when there is none. Wildcards can only be bound.
    package var problemOfConnecting: String? {
        switch transport {
        case .tcp where address.hasSuffix(":*") || address.hasSuffix(":0"): "connecting needs the number of a port"
        case .tcp where address.hasPrefix("*:"): "connecting needs the name or the address of a host"
        case .ipc where address == "*": "connecting needs a path"
        default: nil
        }
    }

    private static func checkTCP(_ address: String, _ text: String) throws(PipelineError) {
        guard let colon = address.lastIndex(of: ":") else { throw bad(text, "the port is missing") }
        let host = address[..<colon]
        let port = address[address.index(after: colon)...]
        guard !host.isEmpty else { throw bad(text, "the host is missing") }
        if host.contains(":"), !(host.hasPrefix("[") && host.hasSuffix("]")) {
            throw bad(text, "write an IPv6 address in brackets, as in tcp://[::1]:5556")
        }
        guard !host.contains(where: { $0.isWhitespace || $0 == "/" }) else { throw bad(text, "that is not a host") }
        guard port == "*" || UInt16(port) != nil else {
            throw bad(text, "\"\(port)\" is not a port: a number up to 65535, or * to bind any")
        }
    }

    private static func bad(_ text: String, _ words: String) -> PipelineError {
        PipelineError(
            .configuration, "zmq.bad_endpoint", "\"\(text)\" is not an endpoint: \(words)",
            help: "write tcp://127.0.0.1:5556, ipc:///tmp/camera.sock or inproc://camera")
    }
}
