import Synchronization

/// An event that happens once, with the tasks that wait for it.
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
        // Checked under the lock after waking too: a resumed continuation alone does not show a thread sanitizer the order.
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
