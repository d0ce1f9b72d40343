import Pipeline
import Synchronization

/// How long a sink waits for somebody to take what it sends: as long as the run goes on and, once it is told to stop,
/// for `linger_ms` more.
final class Patience: Sendable {
    /// Signaled whenever an answer here changes.
    let wake: WakePipe
    private let stop: StopSignal
    private let cancel: StopSignal
    private let hasEnded = Atomic<Bool>(false)

    /// Listens to the run.
    init(_ context: SinkContext, lingerMs: Int) throws {
        wake = try WakePipe()
        stop = context.stop
        cancel = context.cancel
        let clock = context.clock
        context.cancel.onRequest { [wake] in wake.signal() }
        context.stop.onRequest { [weak self] in
            guard let self else { return }
            wake.signal()
            guard lingerMs >= 0 else { return }
            let deadline = clock.now + Int64(lingerMs) * 1_000_000
            Task {
                try? await clock.sleep(until: deadline)
                self.hasEnded.store(true, ordering: .relaxed)
                self.wake.signal()
            }
        }
    }

    /// Whether the run was told to stop.
    var isStopping: Bool { stop.isRequested }

    /// Whether everything was told to end now.
    var isCancelled: Bool { cancel.isRequested }

    /// Whether to wait no more.
    var isOver: Bool { hasEnded.load(ordering: .relaxed) || cancel.isRequested }
}
