import Pipeline
import Synchronization

/// Signals between the server's thread and the threads that use the server.
final class ServerSignals: Sendable {
    /// Requested when a client requests a stop and the run has already ended.
    let stopped = StopSignal()
    /// Requested when the server must close its connections and stop.
    let closing = StopSignal()
    /// Whether the graph of the run has changed and the server's thread has not handled this yet.
    let graphChanged = Atomic<Bool>(false)
}
