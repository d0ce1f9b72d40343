import PipelineComponents

/// The options under `serve` in a configuration: how a run is served while it is in progress.
public struct ServeOptions: OptionGroup, Equatable {
    @Option(
        "Numeric address and port of the server for watching the run.", isRequired: true,
        example: "127.0.0.1:7070")
    public var address: ServeAddress? = nil

    @Option(
        "Secret of at least 16 characters that clients must send. Required if other machines can reach the address.",
        example: "\"${PIPELINE_TOKEN}\"")
    public var token: String?

    @Option(
        "Host names under which a proxy serves the page, each with its port if it has one.",
        example: "[pipeline.example]")
    public var hosts: [String] = []

    @Option(
        "Other sites and programs whose pages may connect by WebSocket, as given in the Origin header of browsers. For Foxglove on the web: https://app.foxglove.dev.",
        example: "[\"https://app.foxglove.dev\"]")
    public var origins: [String] = []

    public init() {}

    /// Creates options for serving at an address.
    public init(_ address: ServeAddress?, token: String? = nil, hosts: [String] = [], origins: [String] = []) {
        (self.address, self.token, self.hosts, self.origins) = (address, token, hosts, origins)
    }

    public static func == (a: ServeOptions, b: ServeOptions) -> Bool {
        (a.address, a.token, a.hosts, a.origins) == (b.address, b.token, b.hosts, b.origins)
    }

    public static var schema: ValueSchema { .anyOf([ServeAddress.schema, .group(options)]) }

    /// The problem with a weak or missing token, and how to fix it; `nil` if there is no problem.
    public var problem: (code: String, message: String, help: String)? {
        if let token, token.utf8.count < Self.shortestToken || !token.utf8.allSatisfy(Self.isSendable) {
            return (
                "serve.token_weak",
                "the token is too short (\(token.count) characters), or has characters that cannot be sent",
                "use at least \(Self.shortestToken) letters and digits, for example from: openssl rand -hex 16"
            )
        }
        if let address, !address.isLoopback, token == nil {
            return (
                "serve.no_token", "other machines can reach \(address), but there is no token",
                "serve on 127.0.0.1, or give a token (serve: { address: …, token: … } or --serve-token)"
            )
        }
        return nil
    }

    private static var shortestToken: Int { 16 }

    /// Returns whether a character of a token can be sent in a header and in a cookie (RFC 6265).
    private static func isSendable(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && !"\",;\\".utf8.contains(byte)
    }

    public func check(_ node: ConfigNode, _ context: DecodingContext) {
        guard let problem else { return }
        context.findings.error(
            problem.code, problem.message, at: (node["token"] ?? node["address"] ?? node).span, path: context.path,
            help: problem.help)
    }

    /// Reads a mapping of options, or only an address.
    public static func decode(_ node: ConfigNode, _ context: DecodingContext) -> ServeOptions? {
        let before = context.findings.errorCount
        var options = ServeOptions()
        if node.scalar != nil {
            options.address = ServeAddress.decode(node, context)
            if options.address != nil { options.check(node, context) }
        } else {
            options = decode(node, context) as ServeOptions
        }
        return context.findings.errorCount == before ? options : nil
    }
}
