import Synchronization

/// A request to stop, which cannot be withdrawn. Code that waits outside Swift concurrency sets a handler to be informed.
public final class StopSignal: Sendable {
    /// The handlers to call. Guards changes of `requested`, which can be read without the lock.
    private let handlers = Lock<[@Sendable () -> Void]>([])
    private let requested = Atomic<Bool>(false)

    /// Creates a signal that is not requested yet.
    public init() {}

    /// Whether the stop was requested.
    public var isRequested: Bool { requested.load(ordering: .acquiring) }

    /// Calls `handler` once when the request is made, or immediately if it was already made. The handler must be fast, for
    /// example a write to a wake-up pipe.
    public func onRequest(_ handler: @escaping @Sendable () -> Void) {
        let already = handlers.withLock { handlers in
            if !isRequested { handlers.append(handler) }
            return isRequested
        }
        if already { handler() }
    }

    /// Requests the stop. Later calls do nothing.
    public func request() {
        let waiting = handlers.withLock { handlers in
            requested.store(true, ordering: .releasing)
            defer { handlers = [] }
            return handlers
        }
        for handler in waiting { handler() }
    }
}
