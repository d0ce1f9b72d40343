import PipelineConfiguration
import Testing

@testable import PipelineServer

@Suite("Requests that a server allows")
struct AccessRulesTests {
    private static let token = "0123456789abcdef"

    private func status(_ change: (inout WebRequest) -> Void, _ options: ServeOptions) throws -> UInt32? {
        let address = try #require(options.address)
        var request = WebRequest()
        request.host = "127.0.0.1:7070"
        change(&request)
        return AccessRules(options, address: address, port: 7070).refusal(of: request)?.status
    }

    @Test("A request is allowed only if it names the server's address and port, or one of its hosts")
    func hosts() throws {
        let options = ServeOptions(ServeAddress("127.0.0.1:7070"), hosts: ["Pipeline.example"])
        for host in ["127.0.0.1:7070", "localhost:7070", "LOCALHOST:7070", "[::1]:7070", "pipeline.example"] {
            #expect(try status({ $0.host = host }, options) == nil, "\(host)")
        }
        for host in ["evil.example", "127.0.0.1", "127.0.0.1:7071", "localhost", "pipeline.example.evil", "", nil] {
            #expect(try status({ $0.host = host }, options) == 403, "\(host ?? "none")")
        }
    }

    @Test(
        "A server at every address allows any host name with the token; a server at a loopback address, however written, needs no token"
    )
    func everyAddress() throws {
        for address in ["0.0.0.0:7070", "[::]:7070", "[::0]:7070", "[0:0:0:0:0:0:0:0]:7070", "[::0.0.0.0]:7070"] {
            let options = ServeOptions(ServeAddress(address), token: Self.token)
            let found = try status(
                { ($0.host, $0.authorization) = ("pen.example:7070", "Bearer \(Self.token)") }, options)
            #expect(found == nil, "\(address)")
        }
        for address in ["[::1]:7070", "[0:0:0:0:0:0:0:1]:7070", "[::0:1]:7070"] {
            let options = ServeOptions(ServeAddress(address))
            #expect(options.problem == nil && options.address?.isLoopback == true, "\(address)")
            #expect(try status({ $0.host = "[::1]:7070" }, options) == nil, "\(address)")
        }
    }

    @Test("A request with the cookie that the server has set is allowed, with every token that a server accepts")
    func cookies() throws {
        for character in (0x21...0x7E).map({ Character(Unicode.Scalar($0)) }) {
            let options = ServeOptions(ServeAddress("127.0.0.1:7070"), token: "\(Self.token)\(character)x")
            guard options.problem == nil else {
                #expect("\",;\\".contains(character))
                continue
            }
            var request = WebRequest()
            (request.host, request.query) = ("127.0.0.1:7070", [("token", options.token ?? "")])
            let address = try #require(options.address)
            let answer = AccessRules(options, address: address, port: 7070).refusal(of: request)
            let cookie = try #require(answer?.headers.first { $0.0 == "set-cookie" }?.1)
            // A browser sends back the part before the first semicolon.
            #expect(try status({ $0.cookie = "\(cookie.prefix { $0 != ";" })" }, options) == nil, "\(character)")
        }
    }

    @Test("A page of another site is refused, except for a WebSocket from a listed origin")
    func origins() throws {
        let options = ServeOptions(ServeAddress("127.0.0.1:7070"), origins: ["https://app.foxglove.dev", "file://"])
        #expect(try status({ $0.origin = "http://127.0.0.1:7070" }, options) == nil)
        for origin in ["http://evil.example", "null", "http://127.0.0.1:8080", "https://app.foxglove.dev", "file://"] {
            #expect(try status({ $0.origin = origin }, options) == 403, "\(origin)")
        }
        for (origin, wanted) in [("https://app.foxglove.dev", nil), ("file://", nil), ("https://evil.example", 403)]
            as [(String, UInt32?)]
        {
            let found = try status(
                { ($0.origin, $0.isWebSocket, $0.fetchSite) = (origin, true, "cross-site") }, options)
            #expect(found == wanted, "\(origin)")
        }
        #expect(try status({ ($0.fetchSite, $0.path) = ("cross-site", "/api/state") }, options) == 403)
    }

    @Test("A server with a token refuses requests with a wrong token or with none")
    func tokens() throws {
        let options = ServeOptions(ServeAddress("127.0.0.1:7070"), token: Self.token)
        #expect(try status({ _ in }, options) == 401)
        #expect(try status({ $0.authorization = "Bearer \(Self.token)" }, options) == nil)
        #expect(try status({ $0.authorization = "Bearer \(Self.token)0" }, options) == 401)
        #expect(try status({ $0.cookie = "a=b; pipeline_token=\(Self.token)" }, options) == nil)
        // A page whose address contains the token is redirected and gets a cookie. Users of Foxglove can specify an address but no
        // headers, so the address of a WebSocket may contain the token.
        #expect(try status({ $0.query = [("token", Self.token)] }, options) == 303)
        #expect(try status({ $0.query = [("token", "wrong")] }, options) == 401)
        #expect(try status({ ($0.query, $0.isWebSocket) = ([("token", Self.token)], true) }, options) == nil)
        #expect(try status({ ($0.query, $0.isWebSocket) = ([("token", "wrong")], true) }, options) == 401)
    }
}
