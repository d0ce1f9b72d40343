import Pipeline
import Synchronization

/// Signals between a server and its owner.
final class ServerSignals: Sendable {
    /// Requested when a client asks the server to stop, although the run has ended.
    let stopped = StopSignal()
    /// Requested when the server must close.
    let closing = StopSignal()
    /// Whether the run has another graph that viewers do not know yet.
    let graphChanged = Atomic<Bool>(false)
}
