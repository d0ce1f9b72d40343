import Pipeline
import PipelineConfiguration

/// Determines which requests are allowed. A request must name the server by a known host name, must not come from a page of
/// another site and, if the server has a token, must present the token.
///
/// A page of any site can make a browser send requests to this machine. The browser then sends the page's site in `Origin`, and
/// the host name of the requested URL in `Host`; the page can forge neither.
struct AccessRules: Sendable {
    private let hosts: Set<String>
    /// Whether any host name is allowed: if the server listens at every address of the machine, which requires a token.
    private let allowsAnyHost: Bool
    private let token: [UInt8]?
    /// The other sites whose pages may open a WebSocket.
    private let origins: Set<String>

    static let cookie = "pipeline_token"

    /// Creates rules.
    ///
    /// - Parameter port: The port that the server listens on.
    init(_ options: ServeOptions, address: ServeAddress, port: Int) {
        var hosts = Set(options.hosts.map { $0.lowercased() })
        let names = address.isIPv6 ? ["[\(address.host)]"] : [address.host]
        for name in names + (address.isLoopback ? ["localhost", "127.0.0.1", "[::1]"] : []) {
            hosts.insert("\(name):\(port)")
            if port == 80 { hosts.insert(name) }
        }
        self.hosts = hosts
        allowsAnyHost = address.isEveryAddress
        token = options.token.map { Array($0.utf8) }
        origins = Set(options.origins.map { $0.lowercased() })
    }

    /// Returns the response that refuses a request; `nil` if the request is allowed.
    func refusal(of request: WebRequest) -> WebResponse? {
        guard let host = request.host?.lowercased(), allowsAnyHost || hosts.contains(host) else {
            return .refusal(
                403, "server.host", "this server is not known under that name",
                help: "use the server's address, or add the name to hosts under serve:")
        }
        let isInvited = request.isWebSocket && request.origin.map { origins.contains($0.lowercased()) } ?? false
        let isForeign =
            request.origin.map { !isOurs($0.lowercased(), host) } ?? false
            || ["cross-site", "same-site"].contains(request.fetchSite ?? "") && request.path != "/"
        if isForeign, !isInvited {
            return .refusal(403, "server.origin", "a page of another site may not send this request")
        }
        guard let token else { return nil }
        // Users of Foxglove and Lichtblick can specify an address but no headers, so a WebSocket may have the token in its
        // address.
        if request.isWebSocket, let given = request.value("token") { return isToken(given, token) ? nil : wrongToken }
        if request.path == "/", request.method == .get, let given = request.value("token") {
            guard isToken(given, token) else { return wrongToken }
            var response = WebResponse.text("come in", status: 303)
            response.headers = [
                ("location", "/"), ("set-cookie", "\(Self.cookie)=\(given); Path=/; HttpOnly; SameSite=Strict"),
            ]
            return response
        }
        let bearer = request.authorization.flatMap {
            $0.lowercased().hasPrefix("bearer ") ? String($0.dropFirst(7)) : nil
        }
        let cookies = request.cookie?.split(separator: ";").map { $0.drop { $0 == " " } } ?? []
        let cookie = cookies.first { $0.hasPrefix(Self.cookie + "=") }.map {
            String($0.dropFirst(Self.cookie.utf8.count + 1))
        }
        let isKnown = [bearer, cookie].contains { $0.map { isToken($0, token) } ?? false }
        return isKnown ? nil : wrongToken
    }

    private var wrongToken: WebResponse {
        var refusal = WebResponse.refusal(
            401, "server.token", "this server requires its token",
            help: "open /?token=… in a browser, or send Authorization: Bearer …")
        refusal.headers = [("www-authenticate", "Bearer")]
        return refusal
    }

    private func isOurs(_ origin: String, _ host: String) -> Bool {
        for scheme in ["http://", "https://"] where origin.hasPrefix(scheme) {
            let site = String(origin.dropFirst(scheme.count))
            return site == host || hosts.contains(site)
        }
        return false
    }

    /// Compares tokens in constant time, so that a client cannot find the token byte by byte.
    private func isToken(_ given: String, _ token: [UInt8]) -> Bool {
        let given = Array(given.utf8)
        guard given.count == token.count else { return false }
        return zip(given, token).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
