import Pipeline

/// Signals between a server and its owner.
struct ServerSignals: Sendable {
    /// Requested when a client asks the server to stop, although the run has ended.
    let stopped = StopSignal()
    /// Requested when the server must close.
    let closing = StopSignal()
}
