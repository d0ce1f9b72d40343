/// How the edges that leave a live pipeline's sources behave unless the configuration says otherwise.
struct LiveDefaults {
    /// What the configuration's `live` says.
    let options: LiveOptions

    /// The policy of an edge from a source.
    ///
    /// To a stage: drop while busy, as `live` says. Frames that continue one another cannot be dropped one by one: they
    /// have an edge of 4,096 frames, and when that is full the whole stroke goes. A sink takes its frames before any of
    /// that and holds no slot; it must not hold the source back either, so its edge of 4,096 frames drops the oldest.
    func policy(toSink: Bool, _ continuity: Continuity) -> EdgePolicy {
        switch (continuity, toSink) {
        case (.continues, _): EdgePolicy(capacity: 4096, onFull: .dropNewest)
        case (.standsAlone, true): EdgePolicy(capacity: 4096, onFull: .dropOldest)
        case (.standsAlone, false):
            EdgePolicy(
                capacity: options.capacity, onFull: options.onFull, inFlight: options.inFlight,
                timeoutMs: options.timeoutMs)
        }
    }
}

extension EdgeOptions {
    /// What was written, on top of what holds otherwise.
    func policy(over base: EdgePolicy) -> EdgePolicy {
        var policy = base
        if let inFlight { policy.inFlight = inFlight }
        if let capacity { policy.capacity = capacity }
        if let capacityMs { policy.capacityMs = capacityMs }
        if let onFull { policy.onFull = onFull }
        if let timeoutMs { policy.timeoutMs = timeoutMs }
        if let idleTimeoutMs { policy.idleTimeoutMs = idleTimeoutMs }
        return policy
    }
}
