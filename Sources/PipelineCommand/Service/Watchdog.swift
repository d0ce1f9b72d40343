import Pipeline

/// Decides when to report to a service manager that a run is alive. It has no side effects.
struct Watchdog {
    /// The action after an inspection of a run.
    enum Action: Equatable {
        /// Report that the run is alive.
        case feed
        /// Warn the user that these nodes have made no progress since the last inspection. Returned once for each hang.
        case complain([String])
        /// Report nothing, so that the service manager ends the process if the hang lasts.
        case starve
    }

    private var last: RunPulse?
    private var isHanging = false

    /// Inspects a run and returns the action to take.
    ///
    /// Call this four times per watchdog interval, so that the report of a run that makes progress is never late.
    mutating func look(at pulse: RunPulse) -> Action {
        defer { last = pulse }
        let stalled = last.map { pulse.stalled(since: $0) } ?? []
        defer { isHanging = !stalled.isEmpty }
        if stalled.isEmpty { return .feed }
        return isHanging ? .starve : .complain(stalled)
    }
}
