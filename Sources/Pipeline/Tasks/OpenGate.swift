import Synchronization

/// Keeps every task from running until all components are open. Sources open first, so that a sink does not overwrite its file if
/// the file of a source is missing.
final class OpenGate: Sendable {
    private struct State {
        var sourcesToOpen: Int
        var toOpen: Int
        var callers: Int
        var hasFailed = false
        var waitingForSources: [CheckedContinuation<Void, Never>] = []
        var waitingForAll: [CheckedContinuation<Void, Never>] = []
        var waitingForCallers: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Lock<State>
    private let onOpen: (@Sendable () -> Void)?

    /// - Parameters:
    ///   - sources: The number of tasks that are sources.
    ///   - count: The number of tasks.
    ///   - callers: The number of tasks that may call a sink directly.
    ///   - onOpen: Called when everything is open.
    init(sources: Int, count: Int, callers: Int, onOpen: (@Sendable () -> Void)? = nil) {
        self.onOpen = onOpen
        state = Lock(State(sourcesToOpen: sources, toOpen: count, callers: callers))
    }

    /// Whether a component could not be opened.
    var hasFailed: Bool { state.withLock { $0.hasFailed } }

    /// Waits until every source was opened or has failed to open.
    func waitForSources() async { await wait(in: \.waitingForSources) { $0.sourcesToOpen == 0 } }

    /// Records that a task is open or has failed to open, and waits for all other tasks. Returns whether all of them are open.
    func arrived(isSource: Bool, failed: Bool) async -> Bool {
        let (released, isOpen) = state.withLock { state in
            if failed { state.hasFailed = true }
            state.toOpen -= 1
            var released: [CheckedContinuation<Void, Never>] = []
            if isSource {
                state.sourcesToOpen -= 1
                if state.sourcesToOpen == 0 {
                    released += state.waitingForSources
                    state.waitingForSources = []
                }
            }
            if state.toOpen == 0 {
                released += state.waitingForAll
                state.waitingForAll = []
            }
            return (released, state.toOpen == 0 && !state.hasFailed)
        }
        if isOpen { onOpen?() }
        for continuation in released { continuation.resume() }
        await wait(in: \.waitingForAll) { $0.toOpen == 0 }
        return !hasFailed
    }

    /// Adds tasks that may call a sink directly.
    func addCallers(_ count: Int) { state.withLock { $0.callers += count } }

    /// Records that a task that may call a sink directly has ended.
    func callerEnded() {
        let released = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.callers -= 1
            guard state.callers == 0 else { return [] }
            defer { state.waitingForCallers = [] }
            return state.waitingForCallers
        }
        for continuation in released { continuation.resume() }
    }

    /// Waits until every task that may call a sink directly has ended.
    func waitForCallers() async { await wait(in: \.waitingForCallers) { $0.callers == 0 } }

    /// Waits until other tasks have made a condition true.
    ///
    /// The condition is also checked under the lock after waking. This orders everything that the other tasks did before they
    /// recorded it before what the waiting task does next. A thread sanitizer does not derive this order from a resumed
    /// continuation alone.
    private func wait(
        in list: any WritableKeyPath<State, [CheckedContinuation<Void, Never>]> & Sendable,
        until isOver: (State) -> Bool
    ) async {
        while !state.withLock({ isOver($0) }) {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if isOver(state) { return true }
                    state[keyPath: list].append(continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        }
    }
}
