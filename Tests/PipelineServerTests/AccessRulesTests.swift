import PipelineConfiguration
import Testing

@testable import PipelineServer

@Suite("Who may ask a server")
struct AccessRulesTests {
    private static let token = "0123456789abcdef"

    private func status(_ change: (inout WebRequest) -> Void, _ options: ServeOptions) throws -> UInt32? {
        let address = try #require(options.address)
        var request = WebRequest()
        request.host = "127.0.0.1:7070"
        change(&request)
        return AccessRules(options, address: address, port: 7070).refusal(of: request)?.status
    }

    @Test("is who names it as it is named")
    func hosts() throws {
        let options = ServeOptions(ServeAddress("127.0.0.1:7070"), hosts: ["Pipeline.example"])
        for host in ["127.0.0.1:7070", "localhost:7070", "LOCALHOST:7070", "[::1]:7070", "pipeline.example"] {
            #expect(try status({ $0.host = host }, options) == nil, "\(host)")
        }
        for host in ["evil.example", "127.0.0.1", "127.0.0.1:7071", "localhost", "pipeline.example.evil", "", nil] {
            #expect(try status({ $0.host = host }, options) == 403, "\(host ?? "none")")
        }
    }

    @Test("is anybody with the token, under any name, if the server listens at every address, however that is written")
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

    @Test("is a browser that sends back its cookie, with every token that a server accepts")
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
            // A browser sends back what comes before the first semicolon.
            #expect(try status({ $0.cookie = "\(cookie.prefix { $0 != ";" })" }, options) == nil, "\(character)")
        }
    }

    @Test("is no page of another site, but for a WebSocket of one that is invited")
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

    @Test("knows the token, where there is one")
    func tokens() throws {
        let options = ServeOptions(ServeAddress("127.0.0.1:7070"), token: Self.token)
        #expect(try status({ _ in }, options) == 401)
        #expect(try status({ $0.authorization = "Bearer \(Self.token)" }, options) == nil)
        #expect(try status({ $0.authorization = "Bearer \(Self.token)0" }, options) == 401)
        #expect(try status({ $0.cookie = "a=b; pipeline_token=\(Self.token)" }, options) == nil)
        // A browser gets a cookie for the token. A WebSocket, which cannot send a header, may use the query.
        #expect(try status({ $0.query = [("token", Self.token)] }, options) == 303)
        #expect(try status({ $0.query = [("token", "wrong")] }, options) == 401)
        #expect(try status({ ($0.query, $0.isWebSocket) = ([("token", Self.token)], true) }, options) == nil)
        #expect(try status({ ($0.query, $0.isWebSocket) = ([("token", "wrong")], true) }, options) == 401)
    }
}
