import Synchronization

/// The object in which a task of a run waits for signals. Each task has one.
///
/// A signal that arrives while the task does not wait is kept, so that "check, then wait" loses no signal. After waking, the task
/// must check again: a signal says that something may have changed, but not what.
final class Waker: Sendable {
    private enum State {
        case idle
        case signaled
        /// Waiting. The task counts as parked if another task of the run must wake it.
        case waiting(UnsafeContinuation<Void, Never>, isParked: Bool)
    }

    private let state = Lock(State.idle)
    /// Whether the state is `signaled`, readable without the lock.
    private let hasSignal = Atomic<Bool>(false)
    /// The number of times that the task checks for a signal before it sleeps.
    private let patience = Atomic<Int>(64)
    private weak let monitor: RunMonitor?

    /// Shows whether the waker's task makes progress.
    let pulse = TaskPulse()

    /// - Parameter monitor: The monitor of the run; `nil` for a task outside any run.
    init(monitor: RunMonitor?) { self.monitor = monitor }

    /// Waits for a signal.
    ///
    /// - Parameter reason: What the task waits for, for the message about a deadlock. If it is `nil`, the task waits for something
    ///   outside the run, and the wait cannot be part of a deadlock.
    // Nonsending like its callers, because a switch between two equal executors costs as much as the rest of the function.
    nonisolated(nonsending) func wait(for reason: String?) async {
        if takeSignal() || lookAgain() { return }
        await withUnsafeContinuation { continuation in
            let mustWait = state.withLock { state in
                if case .signaled = state {
                    state = .idle
                    hasSignal.store(false, ordering: .relaxed)
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
        #if PTHREAD_LOCKS
            // The thread sanitizer does not know that resuming a continuation orders two threads.
            state.withLock { _ in }
        #endif
    }

    /// Wakes the waiting task. If it does not wait, its next wait returns immediately.
    func signal() {
        let waiting = state.withLock { state -> UnsafeContinuation<Void, Never>? in
            guard case .waiting(let continuation, let isParked) = state else {
                state = .signaled
                hasSignal.store(true, ordering: .relaxed)
                return nil
            }
            // Unpark the task before it runs and before another signal finds it awake. Otherwise, if the sender of that signal
            // parks immediately, the woken task would still count as parked, and a deadlock would be reported. If the run is
            // frozen, the task goes on waiting, and the monitor signals it again when the run thaws.
            if isParked, let monitor, !monitor.unpark(self) { return nil }
            state = .idle
            return continuation
        }
        waiting?.resume()
    }

    /// The activity of the waker's task, whose first node is `node`; `nil` before the task has started and after it has ended.
    func beat(of node: NodeMetrics) -> RunPulse.Beat? {
        let beats = pulse.value
        guard beats != 0 else { return nil }
        let done = beats &+ node.received.value &+ node.emitted.value
        return RunPulse.Beat(node: node.id, standing: pulse.isInside ? standing : .outside, done: done)
    }

    private var standing: RunPulse.Beat.Standing {
        state.withLock { state in
            guard case .waiting(_, let isParked) = state else { return .atWork }
            return isParked ? .waiting : .outside
        }
    }

    private func takeSignal() -> Bool {
        state.withLock { state in
            guard case .signaled = state else { return false }
            state = .idle
            hasSignal.store(false, ordering: .relaxed)
            return true
        }
    }

    /// Spins for a short time before the task sleeps, and returns whether a signal came.
    ///
    /// Sleeping and waking cost both tasks microseconds, and a task that works on another core usually signals within that time.
    /// The next spin is longer if a signal came, and shorter if not. If there is only one core, or if frames are rare, the
    /// spins therefore soon take almost no time. A spin never takes more than a few microseconds, because the pool has few
    /// threads.
    private func lookAgain() -> Bool {
        let limit = patience.load(ordering: .relaxed)
        for _ in 0..<limit where hasSignal.load(ordering: .relaxed) {
            patience.store(min(2 * limit, 4096), ordering: .relaxed)
            return takeSignal()
        }
        patience.store(max(limit / 2, 64), ordering: .relaxed)
        return false
    }
}
