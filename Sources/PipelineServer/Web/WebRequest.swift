/// Identifies a WebSocket, or a request that is answered later.
typealias WebRequestID = Int

/// A client's request.
struct WebRequest: Sendable {
    enum Method: Sendable { case get, head, post, other }

    var method = Method.get
    /// The path, with percent escapes decoded: `/api/state`.
    var path = "/"
    /// The parameters after `?`, in order, with percent escapes decoded.
    var query: [(name: String, value: String)] = []
    /// Whether the request opens a WebSocket.
    var isWebSocket = false
    var host: String?
    var origin: String?
    var authorization: String?
    var cookie: String?
    /// The header `Sec-Fetch-Site`, in which a browser says which site caused the request: `same-origin`, `cross-site`.
    var fetchSite: String?
    /// The length of the body in bytes; `nil` if not given, −1 if the header is not a number.
    var contentLength: Int?
    /// Whether the body is sent in chunks.
    var isChunked = false
    /// The WebSocket subprotocols that the client supports.
    var protocols: [String] = []

    /// The method that chooses the response. The response to HEAD is the response to GET without its body.
    var route: Method { method == .head ? .get : method }

    /// Returns the first value of a query parameter.
    func value(_ name: String) -> String? { query.first { $0.name == name }?.value }

    /// Returns all values of a query parameter.
    func values(_ name: String) -> [String] { query.filter { $0.name == name }.map(\.value) }
}
