/// Who answers what a ``WebServer`` is asked. Everything is called in the server's thread.
protocol WebHandler: AnyObject {
    /// Answers a request, or takes it to be answered later by ``WebServer/answer(_:with:)``.
    func answer(_ request: WebRequest, _ id: WebRequestID) -> WebResponse?

    /// Why a request is refused before anything is looked at, if it is.
    func refusal(of request: WebRequest) -> WebResponse?

    /// A WebSocket that is being opened: whoever speaks with it, or `nil` when there is none at that path.
    func socket(for request: WebRequest, _ id: WebRequestID) -> (any WebSocketHandler)?

    /// Looks after what is due. Returns after how many microseconds it wants to be called again.
    func tick() -> Int64

    /// Something was posted with ``WebServer/wake()``.
    func woken()
}
