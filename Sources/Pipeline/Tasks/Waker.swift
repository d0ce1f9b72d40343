import Synchronization

/// The one place where a task of a run waits: until somebody signals it.
///
/// A signal that comes while nobody waits is kept, so that "look, then wait" loses none. Whoever waits looks again
/// afterwards: a signal says that something may have changed, not what.
final class Waker: Sendable {
    private enum State {
        case idle
        case signaled
        /// Waiting, and counted as parked when somebody in the run must signal.
        case waiting(UnsafeContinuation<Void, Never>, isParked: Bool)
    }

    private let state = Lock(State.idle)
    /// Whether the state is `signaled`, to be asked without the lock.
    private let hasSignal = Atomic<Bool>(false)
    /// How often to look for a signal before sleeping.
    private let patience = Atomic<Int>(64)
    private weak let monitor: RunMonitor?

    /// Tells whether its task gets on.
    let pulse = TaskPulse()

    /// A waker of a task outside any run has no monitor.
    init(monitor: RunMonitor?) { self.monitor = monitor }

    /// Waits for a signal. `reason` says for what, should it never come; without one the wait is for something outside
    /// the run and is no part of a deadlock.
    // Nonsending, as what calls it: a switch between executors that are the same costs as much as the rest.
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
    }

    /// Wakes the task that waits, or the next that will.
    func signal() {
        let waiting = state.withLock { state -> UnsafeContinuation<Void, Never>? in
            guard case .waiting(let continuation, let isParked) = state else {
                state = .signaled
                hasSignal.store(true, ordering: .relaxed)
                return nil
            }
            state = .idle
            // Counted before it runs, and before another signal finds it awake: whoever sends that one may park at once, and
            // what has been woken is no longer part of a deadlock.
            if isParked { monitor?.unparked(self) }
            return continuation
        }
        waiting?.resume()
    }

    /// The state of its task, the one headed by a node; `nil` before the task has begun and after it has ended.
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

    /// Looks for a signal a while longer: to sleep and to be woken costs both sides microseconds, in which a partner that
    /// is at work on another core mostly comes. As it came or not, the next look is longer or shorter: on one core, or
    /// where frames come seldom, this soon takes next to no time. At most some microseconds, for the pool has few threads.
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
