import Synchronization

/// An event that happens once, and for which tasks can wait.
///
/// Everything that happened before the event also happens before the waiting tasks continue.
package final class Milestone: Sendable {
    private struct State {
        var isReached = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Lock(State())

    package init() {}

    package func reach() {
        let waiters = state.withLock { state in
            state.isReached = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    package func wait() async {
        // Check again under the lock after waking: the thread sanitizer does not know that resuming a continuation orders two
        // threads.
        while !state.withLock({ $0.isReached }) {
            await withCheckedContinuation { continuation in
                let isReached = state.withLock { state in
                    if !state.isReached { state.waiters.append(continuation) }
                    return state.isReached
                }
                if isReached { continuation.resume() }
            }
        }
    }
}
