/// An event that happens once, and for which tasks can wait.
///
/// Everything that happened before the event also happens before the waiting tasks continue.
package final class Milestone: Sendable {
    private let signal = StopSignal()

    package init() {}

    package func reach() { signal.request() }

    package func wait() async {
        // Check again after waking: the thread sanitizer does not know that resuming a continuation orders two threads.
        while !signal.isRequested {
            await withCheckedContinuation { continuation in signal.onRequest { continuation.resume() } }
        }
    }
}
