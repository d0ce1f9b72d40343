import Synchronization

/// The one place where a task of a run waits: until somebody signals it.
///
/// A signal that comes while nobody waits is kept, so that "look, then wait" loses none. Whoever waits looks again
/// afterwards: a signal says that something may have changed, not what.
final class Waker: Sendable {
    private enum State {
        case idle
        case signalled
        /// Waiting, and counted as parked when somebody in the run must signal.
        case waiting(UnsafeContinuation<Void, Never>, isParked: Bool)
    }

    private let state = Mutex(State.idle)
    private weak let monitor: RunMonitor?

    /// A waker of a task outside any run has no monitor.
    init(monitor: RunMonitor?) { self.monitor = monitor }

    /// Waits for a signal. `reason` says for what, should it never come; without one the wait is for something outside
    /// the run and is no part of a deadlock.
    func wait(for reason: String?) async {
        if takeSignal() { return }
        await withUnsafeContinuation { continuation in
            let mustWait = state.withLock { state in
                if case .signalled = state {
                    state = .idle
                    return false
                }
                state = .waiting(continuation, isParked: reason != nil)
                return true
            }
            if !mustWait {
                continuation.resume()
            } else if let reason {
                monitor?.parked(self, waitingFor: reason)
            }
        }
    }

    /// Wakes the task that waits, or the next that will.
    func signal() {
        let waiting = state.withLock { state -> (UnsafeContinuation<Void, Never>, Bool)? in
            guard case .waiting(let continuation, let isParked) = state else {
                state = .signalled
                return nil
            }
            state = .idle
            return (continuation, isParked)
        }
        guard let (continuation, isParked) = waiting else { return }
        // Counted before it runs: a task that has been woken is no longer part of a deadlock.
        if isParked { monitor?.unparked(self) }
        continuation.resume()
    }

    private func takeSignal() -> Bool {
        state.withLock { state in
            guard case .signalled = state else { return false }
            state = .idle
            return true
        }
    }
}
