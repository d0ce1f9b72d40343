import Pipeline

/// What is said between a server and whoever has it.
struct ServerSignals: Sendable {
    /// Somebody has asked it to stop though the run is over.
    let stopped = StopSignal()
    /// It is to end.
    let closing = StopSignal()
}
