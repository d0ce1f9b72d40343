import Synchronization

/// A request to stop, made once, that code which waits outside Swift concurrency can hear.
public final class StopSignal: Sendable {
    private struct State {
        var isRequested = false
        var handlers: [@Sendable () -> Void] = []
    }

    private let state = Lock(State())

    /// Not yet requested.
    public init() {}

    /// Whether the request was made.
    public var isRequested: Bool { state.withLock { $0.isRequested } }

    /// Calls `handler` once when the request is made, at once when it already was. The handler must be quick: a write to
    /// a wake-up pipe, say.
    public func onRequest(_ handler: @escaping @Sendable () -> Void) {
        let already = state.withLock { state in
            if !state.isRequested { state.handlers.append(handler) }
            return state.isRequested
        }
        if already { handler() }
    }

    /// Makes the request; later calls do nothing.
    public func request() {
        let handlers = state.withLock { state in
            state.isRequested = true
            defer { state.handlers = [] }
            return state.handlers
        }
        for handler in handlers { handler() }
    }
}
