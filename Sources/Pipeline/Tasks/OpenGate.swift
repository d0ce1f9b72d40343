import Synchronization

/// Holds every task until all components are open. Sources open first, so that a sink does not overwrite its file if the file of a
/// source is missing.
final class OpenGate: Sendable {
    private struct State {
        var sourcesToOpen: Int
        var toOpen: Int
        var callers: Int
        var hasFailed = false
    }

    private let state: Lock<State>
    private let sourcesOpen = Milestone()
    private let allOpen = Milestone()
    private let callersEnded = Milestone()
    private let onOpen: (@Sendable () -> Void)?

    /// - Parameters:
    ///   - sources: The number of tasks that are sources.
    ///   - count: The number of tasks.
    ///   - callers: The number of tasks that may call a sink directly.
    ///   - onOpen: Called when everything is open.
    init(sources: Int, count: Int, callers: Int, onOpen: (@Sendable () -> Void)? = nil) {
        self.onOpen = onOpen
        state = Lock(State(sourcesToOpen: sources, toOpen: count, callers: callers))
        if sources == 0 { sourcesOpen.reach() }
        if callers == 0 { callersEnded.reach() }
    }

    /// Whether a component could not be opened.
    var hasFailed: Bool { state.withLock { $0.hasFailed } }

    /// Waits until every source was opened or has failed to open.
    func waitForSources() async { await sourcesOpen.wait() }

    /// Records that a task is open or has failed to open, and waits for all other tasks to do the same. Returns whether all tasks
    /// are open.
    func arrived(isSource: Bool, failed: Bool) async -> Bool {
        let state = state.withLock { state in
            if failed { state.hasFailed = true }
            state.toOpen -= 1
            if isSource { state.sourcesToOpen -= 1 }
            return (sourcesToOpen: state.sourcesToOpen, toOpen: state.toOpen, hasFailed: state.hasFailed)
        }
        if state.toOpen == 0, !state.hasFailed { onOpen?() }
        if state.sourcesToOpen == 0 { sourcesOpen.reach() }
        if state.toOpen == 0 { allOpen.reach() }
        await allOpen.wait()
        return !hasFailed
    }

    /// Prevents sinks that are called directly from closing until ``callerEnded()``. Returns `false` if all tasks that call these
    /// sinks have ended, so that the sinks may already be closing.
    func addCaller() -> Bool {
        state.withLock { state in
            guard state.callers > 0 else { return false }
            state.callers += 1
            return true
        }
    }

    /// Adds tasks that may call a sink directly.
    func addCallers(_ count: Int) { state.withLock { $0.callers += count } }

    /// Records that a task that may call a sink directly has ended.
    func callerEnded() {
        let isLast = state.withLock { state in
            state.callers -= 1
            return state.callers == 0
        }
        if isLast { callersEnded.reach() }
    }

    /// Waits until every task that may call a sink directly has ended. A reload adds such tasks only while it is itself one, so
    /// there are none after the last has ended.
    func waitForCallers() async { await callersEnded.wait() }
}
