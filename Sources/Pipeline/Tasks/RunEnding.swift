import Synchronization

/// The functions that are called when a run has ended well.
final class RunEnding: Sendable {
    private let bodies = Lock<[@Sendable () -> Void]>([])

    /// Adds a function, to be called after those that were added before.
    func add(_ body: @escaping @Sendable () -> Void) { bodies.withLock { $0.append(body) } }

    /// Calls the functions. Later calls do nothing.
    func callAll() {
        let all = bodies.withLock { bodies in
            defer { bodies = [] }
            return bodies
        }
        for body in all { body() }
    }
}
