import Pipeline

/// Decides when a service manager is told that a run is alive. Pure state.
struct Watchdog {
    /// What to do.
    enum Action: Equatable {
        /// Tell that it is alive.
        case feed
        /// Tell a person, once, that nodes have hung since.
        case complain([String])
        /// Nothing: somebody else will end the process if this goes on.
        case starve
    }

    private var last: RunPulse?
    private var isHanging = false

    /// Looks at a run. Called four times in the time after which the process would be ended, so that what gets on is never late.
    mutating func look(at pulse: RunPulse) -> Action {
        defer { last = pulse }
        let stalled = last.map { pulse.stalled(since: $0) } ?? []
        defer { isHanging = !stalled.isEmpty }
        if stalled.isEmpty { return .feed }
        return isHanging ? .starve : .complain(stalled)
    }
}
