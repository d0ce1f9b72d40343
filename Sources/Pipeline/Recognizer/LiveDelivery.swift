import Synchronization

/// Delivers the results of a live recognizer to a delegate, one after the other. It uses its own thread, because a delegate may
/// block.
final class LiveDelivery: Sendable {
    private let task = Lock<Task<Void, Never>?>(nil)

    /// Starts the delivery.
    ///
    /// - Parameters:
    ///   - results: The results to deliver.
    ///   - simulation: The executor for the calls if time is simulated; `nil` to use a thread.
    ///   - tell: Delivers one result.
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
