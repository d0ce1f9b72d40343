import Connectors
import Pipeline
import PipelineComponents

/// What a client gets.
struct WebResponse: Sendable {
    var status: UInt32 = 200
    var type: String
    var body: [UInt8]
    /// Headers beside those that every response has.
    var headers: [(name: String, value: String)] = []

    init(_ status: UInt32 = 200, type: String, _ body: [UInt8]) {
        (self.status, self.type, self.body) = (status, type, body)
    }

    /// Plain text.
    static func text(_ text: String, status: UInt32 = 200) -> WebResponse {
        WebResponse(status, type: "text/plain; charset=utf-8", Array((text + "\n").utf8))
    }

    /// JSON.
    static func json(_ value: JSONValue, status: UInt32 = 200) -> WebResponse {
        WebResponse(status, type: "application/json", Array((value.text(isIndented: false) + "\n").utf8))
    }

    /// JSON that was written already.
    static func json(_ text: [UInt8]) -> WebResponse { WebResponse(type: "application/json", text) }

    /// What is wrong with a request, and what to do.
    static func refusal(_ status: UInt32, _ code: String, _ message: String, help: String? = nil) -> WebResponse {
        var members: [(key: String, value: JSONValue)] = [("code", .string(code)), ("message", .string(message))]
        if let help { members.append(("help", .string(help))) }
        return json(.object([("error", .object(members))]), status: status)
    }

    /// There is nothing at a path.
    static var notFound: WebResponse {
        .refusal(
            404, "server.no_such_page", "there is nothing here",
            help: "see /, /api/state, /metrics, /healthz and /readyz")
    }

    /// A request does what cannot be done at its path.
    static func wrongMethod(_ request: WebRequest) -> WebResponse {
        var refusal = refusal(405, "server.method", "that cannot be done here")
        refusal.headers = [("allow", request.path.hasPrefix("/api/") ? "GET, HEAD, POST" : "GET, HEAD")]
        return refusal
    }

    /// The parameters of a request for what is kept are none.
    static var wrongQuery: WebResponse {
        .refusal(400, "server.query", "id, from_ms, to_ms and limit are whole numbers")
    }

    /// Headers of every response: nothing is kept by others, nothing is shown in another site's page or run from elsewhere.
    static let commonHeaders: [(name: String, value: String)] = [
        ("cache-control", "no-store"), ("x-content-type-options", "nosniff"), ("x-frame-options", "DENY"),
        ("referrer-policy", "no-referrer"), ("cross-origin-resource-policy", "same-origin"),
        ("cross-origin-opener-policy", "same-origin"),
        (
            "content-security-policy",
            "default-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'; form-action 'none'; object-src 'none'"
        ),
    ]
}
