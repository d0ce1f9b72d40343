import Synchronization

/// Tells a delegate the results of a live recognizer, one after the other, on a thread of its own: a delegate may block.
final class LiveDelivery: Sendable {
    private let task = Lock<Task<Void, Never>?>(nil)

    /// Begins.
    ///
    /// - Parameters:
    ///   - results: What to tell.
    ///   - simulation: Where to make the calls instead, when time is not the machine's.
    ///   - tell: Tells one result.
    func start<Output: Payload>(
        _ results: LiveResults<Output>, on simulation: (any TaskExecutor)?,
        tell: @escaping @Sendable (RecognizerResult<Output>) -> Void
    ) {
        let thread = simulation == nil ? ThreadExecutor() : nil
        let calls = Task(executorPreference: simulation ?? thread) {
            while let result = await results.next() { tell(result) }
            thread?.stop()
        }
        task.withLock { $0 = calls }
    }

    /// Waits until the last call has returned.
    func finished() async { await task.withLock { $0 }?.value }
}
