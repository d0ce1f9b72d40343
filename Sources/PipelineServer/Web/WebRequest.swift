/// Names a request that is answered later, or a WebSocket.
typealias WebRequestID = Int

/// What a client asks for.
struct WebRequest: Sendable {
    enum Method: Sendable { case get, head, post, other }

    var method = Method.get
    /// The path, without escapes: `/api/state`.
    var path = "/"
    /// What stands behind `?`, in its order, without escapes.
    var query: [(name: String, value: String)] = []
    /// Whether a WebSocket is to be opened.
    var isWebSocket = false
    var host: String?
    var origin: String?
    var authorization: String?
    var cookie: String?
    /// What a browser says of where the request comes from: `same-origin`, `cross-site`.
    var fetchSite: String?
    /// How many bytes follow; `nil` when that is not said, −1 for what is no number.
    var contentLength: Int?
    /// Whether the body comes in chunks.
    var isChunked = false
    /// The protocols of a WebSocket that the client speaks.
    var protocols: [String] = []

    /// The first value of a name in the query.
    func value(_ name: String) -> String? { query.first { $0.name == name }?.value }

    /// All values of a name in the query.
    func values(_ name: String) -> [String] { query.filter { $0.name == name }.map(\.value) }
}
