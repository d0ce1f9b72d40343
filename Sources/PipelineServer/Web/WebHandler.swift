/// A handler for the requests to a ``WebServer``. All methods are called in the server's thread.
protocol WebHandler: AnyObject {
    /// Returns the response to a request. Returns `nil` if the response will be sent later with ``WebServer/answer(_:with:)``.
    func answer(_ request: WebRequest, _ id: WebRequestID) -> WebResponse?

    /// Returns the response that refuses a request before it is processed; `nil` if the request is allowed.
    func refusal(of request: WebRequest) -> WebResponse?

    /// Returns the handler for a WebSocket that is being opened; `nil` if there is none at that path.
    func socket(for request: WebRequest, _ id: WebRequestID) -> (any WebSocketHandler)?

    /// Does all pending work. Returns the number of microseconds until the next call.
    func tick() -> Int64

    /// Called after ``WebServer/wake()``.
    func woken()
}
