import Pipeline
import PipelineComponents

/// The options for CURVE, which encrypts and authenticates connections (ZeroMQ RFC 26): the keys of a socket, and the clients it
/// accepts.
public struct CurveOptions: OptionGroup, SharedOptions {
    public static let title = "CURVE options"

    @Option("Whether this side is the server. Clients need its public key; which side binds does not matter.")
    public var server = false

    @Option(
        "File with this side's secret key, which only its owner may read (mode 0600). Without one, a client creates a new pair at every start.",
        example: "camera.key_secret")
    public var secretKeyFile: SecretPath?

    @Option("Name of an environment variable with this side's secret key.", example: "CAMERA_SECRET_KEY")
    public var secretKeyEnv: String?

    @Option(
        "For a client: the server's public key, 40 characters.", example: "\"rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7\""
    )
    public var serverKey: CurveKey?

    @Option("For a client: file with the server's public key.", example: "server.key")
    public var serverKeyFile: FilePath?

    @Option(
        "For a server: public keys of the clients to accept. Without the list, all clients that know the server's key are accepted.",
        example: "[\"Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID\"]")
    public var allow: [CurveKey]?

    public init() {}

    public func check(_ node: ConfigNode, _ context: DecodingContext) {
        func problem(_ code: String, _ message: String, _ option: String, help: String) {
            context.findings.error(
                code, message, at: (node[option] ?? node).span, path: context.path + ".\(option)", help: help)
        }
        if secretKeyFile != nil, secretKeyEnv != nil {
            problem(
                "zmq.two_keys", "secret_key_file and secret_key_env are both given", "secret_key_env",
                help: "leave one out")
        }
        if server {
            if secretKeyFile == nil, secretKeyEnv == nil {
                problem(
                    "zmq.no_secret_key", "a server needs a secret key, so that clients can know it", "server",
                    help: "make a pair with pipectl keys, and set secret_key_file: NAME.key_secret")
            }
            if serverKey != nil || serverKeyFile != nil {
                let option = serverKey != nil ? "server_key" : "server_key_file"
                problem(
                    "zmq.server_with_server_key", "\(option) is for clients, and this side is the server", option,
                    help: "leave it out, or server: true")
            }
        } else {
            if serverKey == nil, serverKeyFile == nil {
                problem(
                    "zmq.no_server_key", "a client needs the public key of its server", "server_key",
                    help: "add server_key_file: NAME.key, or server: true if this side is the server")
            }
            if serverKey != nil, serverKeyFile != nil {
                problem(
                    "zmq.two_keys", "server_key and server_key_file are both given", "server_key_file",
                    help: "leave one out")
            }
            if allow != nil {
                problem(
                    "zmq.allow_without_server", "allow is for servers, and this side is a client", "allow",
                    help: "server: true, or leave it out")
            }
        }
    }
}

/// A user name and a password in clear text (ZeroMQ RFC 24). They prevent mistakes, not attacks.
public struct PlainOptions: OptionGroup, SharedOptions {
    public static let title = "PLAIN options"

    @Option("Whether this side is the server, which accepts clients with this name and password.")
    public var server = false

    @Option("Name of the user.", isRequired: true, example: "camera")
    public var username = ""

    @Option(
        "File whose first line is the password. Only its owner may read it (mode 0600).", example: "camera.password")
    public var passwordFile: SecretPath?

    @Option("Name of an environment variable with the password.", example: "CAMERA_PASSWORD")
    public var passwordEnv: String?

    public init() {}

    /// The maximum length of a name or a password, in bytes. The protocol sends the length as one byte.
    static let longest = 255

    public func check(_ node: ConfigNode, _ context: DecodingContext) {
        if let place = node["username"], !(1...Self.longest).contains(username.utf8.count) {
            context.findings.error(
                "zmq.username",
                username.isEmpty
                    ? "the user name is empty"
                    : "a user name has at most \(Self.longest) bytes, and this one \(username.utf8.count)",
                at: place.span, path: context.path + ".username",
                help: "give a name that both sides know, as in username: camera")
        }
        guard (passwordFile == nil) == (passwordEnv == nil) else { return }
        context.findings.error(
            "zmq.password",
            passwordFile == nil ? "no password is given" : "password_file and password_env are both given",
            at: node.span, path: context.path,
            help: "give password_file or password_env; a password does not belong in the configuration")
    }
}

/// The security mechanism of a socket, with the keys that were read.
enum ZMQSecurity: Sendable {
    case none
    case curveServer(secret: CurveKey, allow: Set<CurveKey>?)
    case curveClient(secret: CurveKey, public: CurveKey, server: CurveKey)
    case plainServer(username: String, password: String)
    case plainClient(username: String, password: String)

    /// Reads the keys that the options refer to.
    init(_ options: ZMQSocketOptions) throws(PipelineError) {
        if let curve = options.curve {
            self = try Self.curve(curve)
        } else if let plain = options.plain {
            let password = try Self.password(of: plain)
            self =
                plain.server
                ? .plainServer(username: plain.username, password: password)
                : .plainClient(username: plain.username, password: password)
        } else {
            self = .none
        }
    }

    /// Whether this side is a client. When the server closes the connection of a client during the handshake, it has rejected the
    /// client.
    var isClient: Bool {
        switch self {
        case .curveClient, .plainClient: true
        default: false
        }
    }

    /// Whether this side decides which peers are accepted.
    var isServer: Bool {
        switch self {
        case .curveServer, .plainServer: true
        default: false
        }
    }

    private static func curve(_ options: CurveOptions) throws(PipelineError) -> ZMQSecurity {
        var secret: CurveKey?
        if let file = options.secretKeyFile { secret = try CurveKeyFile.read(.secretKey, from: file.path) }
        if let name = options.secretKeyEnv { secret = try key(named: name) }
        if options.server {
            guard let secret else { throw .environment("zmq.no_secret_key", "a CURVE server needs a secret key") }
            return .curveServer(secret: secret, allow: options.allow.map(Set.init))
        }
        var server = options.serverKey
        if let file = options.serverKeyFile { server = try CurveKeyFile.read(.publicKey, from: file.path) }
        guard let server else { throw .environment("zmq.no_server_key", "a CURVE client needs its server's key") }
        let own: CurveKey
        if let secret { own = secret } else { own = try CurveKey.makePair().secretKey }
        guard let publicKey = own.publicKey else { throw .noCurve }
        return .curveClient(secret: own, public: publicKey, server: server)
    }

    private static func key(named name: String) throws(PipelineError) -> CurveKey {
        guard let text = SystemCalls.environmentVariable(name) else {
            throw isNotSet(name, help: "set it to the secret-key in the NAME.key_secret that pipectl keys makes")
        }
        guard let key = CurveKey(text) else {
            throw .environment(
                "zmq.key_env", "the environment variable \(name) does not contain a CURVE key of 40 characters",
                help: "set it to the secret-key in the NAME.key_secret that pipectl keys makes")
        }
        return key
    }

    private static func isNotSet(_ name: String, help: String) -> PipelineError {
        .environment("zmq.key_env", "the environment variable \(name) is not set", help: help)
    }

    /// Reads the password. Throws an environment error when it cannot be read or is not valid.
    private static func password(of options: PlainOptions) throws(PipelineError) -> String {
        let (password, place): (String, String)
        if let file = options.passwordFile {
            (password, place) = (try CurveKeyFile.readSecretLine(from: file.path), "the first line of \(file.path)")
        } else {
            let name = options.passwordEnv ?? ""
            guard let value = SystemCalls.environmentVariable(name) else {
                throw isNotSet(name, help: "set it to the password, or give a password_file")
            }
            (password, place) = (value, "the environment variable \(name)")
        }
        guard !password.isEmpty else {
            throw .environment(
                "zmq.empty_password", "the password is empty: \(place) holds nothing",
                help: "write a password there; otherwise the user name is enough to get in")
        }
        guard password.utf8.count <= PlainOptions.longest else {
            throw .environment(
                "zmq.long_password",
                "\(place) holds \(password.utf8.count) bytes, more than the \(PlainOptions.longest) that a password may have",
                help: "take a shorter password")
        }
        return password
    }
}
