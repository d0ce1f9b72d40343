import Connectors
import Pipeline
import PipelineComponents

/// A response to a client.
struct WebResponse: Sendable {
    var status: UInt32 = 200
    var type: String
    var body: [UInt8]
    /// The headers in addition to ``commonHeaders``.
    var headers: [(name: String, value: String)] = []

    init(_ status: UInt32 = 200, type: String, _ body: [UInt8]) {
        (self.status, self.type, self.body) = (status, type, body)
    }

    /// Returns a response with plain text.
    static func text(_ text: String, status: UInt32 = 200) -> WebResponse {
        WebResponse(status, type: "text/plain; charset=utf-8", Array((text + "\n").utf8))
    }

    /// Returns a response with JSON.
    static func json(_ value: JSONValue, status: UInt32 = 200) -> WebResponse {
        WebResponse(status, type: "application/json", Array((value.text(isIndented: false) + "\n").utf8))
    }

    /// Returns a response with JSON that is already serialized.
    static func json(_ text: [UInt8]) -> WebResponse { WebResponse(type: "application/json", text) }

    /// Returns a response that describes a problem with a request, and how to fix it.
    static func refusal(_ status: UInt32, _ code: String, _ message: String, help: String? = nil) -> WebResponse {
        var members: [(key: String, value: JSONValue)] = [("code", .string(code)), ("message", .string(message))]
        if let help { members.append(("help", .string(help))) }
        return json(.object([("error", .object(members))]), status: status)
    }

    /// The response for a path that does not exist.
    static var notFound: WebResponse {
        .refusal(
            404, "server.no_such_page", "there is nothing here",
            help: "see /, /api/state, /metrics, /healthz and /readyz")
    }

    /// Returns the response for a method that a path does not support.
    ///
    /// - Parameter allowed: The methods that the path supports.
    static func wrongMethod(allowed: String) -> WebResponse {
        var refusal = refusal(405, "server.method", "this path does not support the method")
        refusal.headers = [("allow", allowed)]
        return refusal
    }

    /// Returns the response to a request that is neither for data nor for an action: a file of the page, or a refusal.
    ///
    /// - Parameter actions: The paths that only accept POST.
    static func page(_ request: WebRequest, actions: [String]) -> WebResponse {
        if actions.contains(request.path) { return wrongMethod(allowed: "POST") }
        switch request.method {
        case .get, .head: return PageFile.at(request.path)?.response ?? notFound
        default: return wrongMethod(allowed: "GET, HEAD")
        }
    }

    /// The response to a query for kept items with invalid parameters.
    static var wrongQuery: WebResponse {
        .refusal(
            400, "server.query",
            "id, from_ms, to_ms and limit are whole numbers, limit from 1; keep is oldest or newest; node is an id")
    }

    /// The headers of every response. They prevent caching, framing by other sites, and resources from other sites.
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
