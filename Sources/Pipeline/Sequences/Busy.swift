/// What happens to a frame that arrives while the pipeline is still busy with those before it.
public enum Busy: Sendable, Hashable {
    /// The sequence is read only as fast as its frames are processed. Nothing is dropped: a pipeline of mode batch.
    case wait

    /// One frame is in flight, and of each stream the newest one waits: a pipeline of mode live. Frames that continue one
    /// another (``Continuity/continues``) have a queue of 4,096 instead; when it is full, the rest of the stroke is dropped.
    case dropOldest

    /// One frame is in flight, and of each stream the one that came first waits: a pipeline of mode live.
    case dropNewest

    /// A pipeline of mode live with a policy of your own, for example more frames in flight.
    case policy(EdgePolicy)

    /// The mode that a pipeline fed this way has.
    var mode: Mode { self == .wait ? .batch : .live }

    /// The policy of an edge that leaves a source fed this way.
    func policy(toSink: Bool, _ continuity: Continuity) -> EdgePolicy {
        var defaults = LiveDefaults()
        switch self {
        case .wait: return EdgePolicy()
        case .policy(let policy): return policy
        case .dropOldest: defaults.onFull = .dropOldest
        case .dropNewest: defaults.onFull = .dropNewest
        }
        return defaults.policy(toSink: toSink, continuity)
    }
}

/// Which timestamps payloads get that come without one.
public enum PayloadTimes: Sendable, Hashable {
    /// 0, and then one such interval after the other: the same payloads give the same frames.
    case every(milliseconds: Double)

    /// The time at which each arrived, counted from the beginning of the run.
    case arrival
}
