import Pipeline
import Synchronization

/// How long a sink waits for a receiver to take its messages: for as long as the run continues, and for `linger_ms` more after the
/// run was asked to stop.
final class Patience: Sendable {
    /// Signaled whenever one of the properties below changes.
    let wake: WakePipe
    private let stop: StopSignal
    private let cancel: StopSignal
    private let hasEnded = Atomic<Bool>(false)

    /// Starts to observe the stop and cancel signals of a run. A negative `lingerMs` means no limit.
    init(_ context: SinkContext, lingerMs: Int) throws {
        wake = try WakePipe()
        stop = context.stop
        cancel = context.cancel
        let clock = context.clock
        // Weak, because a reload may replace the sink, and the signals last as long as the run.
        context.cancel.onRequest { [weak self] in self?.wake.signal() }
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

    /// Whether the run was asked to stop.
    var isStopping: Bool { stop.isRequested }

    /// Whether the run was canceled. In that case, all work must end immediately.
    var isCancelled: Bool { cancel.isRequested }

    /// Whether to stop waiting.
    var isOver: Bool { hasEnded.load(ordering: .relaxed) || cancel.isRequested }
}
