import Synchronization

/// Tells a delegate the results of a live recognizer, one after the other, on a thread of its own: a delegate may block.
final class LiveDelivery: Sendable {
    private let task = Lock<Task<Void, Never>?>(nil)

    /// Begins. Neither the recognizer nor its delegate is kept alive.
    ///
    /// - Parameter simulation: Where to make the calls instead, when time is not the machine's.
    func start<Input: Payload, Output: Payload>(
        _ results: LiveResults<Output>, of recognizer: Recognizer<Input, Output>,
        to delegate: any RecognizerDelegate<Input, Output>, on simulation: (any TaskExecutor)?
    ) {
        let thread = simulation == nil ? ThreadExecutor() : nil
        let calls = Task(executorPreference: simulation ?? thread) { [weak recognizer, weak delegate] in
            while let result = await results.next() {
                guard let recognizer else { continue }
                delegate?.recognizer(
                    recognizer, didFinish: result, timestamp: result.timestamp, error: result.error)
            }
            thread?.stop()
        }
        task.withLock { $0 = calls }
    }

    /// Waits until the last call has returned.
    func finished() async { await task.withLock { $0 }?.value }
}
