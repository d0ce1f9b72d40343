import Synchronization

/// A request to stop, which cannot be withdrawn. Code that waits outside Swift concurrency sets a handler to be informed.
public final class StopSignal: Sendable {
    private struct State {
        var isRequested = false
        var handlers: [@Sendable () -> Void] = []
    }

    private let state = Lock(State())

    /// Creates a signal that is not requested yet.
    public init() {}

    /// Whether the stop was requested.
    public var isRequested: Bool { state.withLock { $0.isRequested } }

    /// Calls `handler` once when the request is made, or immediately if it was already made. The handler must be fast, for
    /// example a write to a wake-up pipe.
    public func onRequest(_ handler: @escaping @Sendable () -> Void) {
        let already = state.withLock { state in
            if !state.isRequested { state.handlers.append(handler) }
            return state.isRequested
        }
        if already { handler() }
    }

    /// Requests the stop. Later calls do nothing.
    public func request() {
        let handlers = state.withLock { state in
            state.isRequested = true
            defer { state.handlers = [] }
            return state.handlers
        }
        for handler in handlers { handler() }
    }
}
