/// What happens to a frame that arrives while the pipeline is still processing earlier frames.
public enum Busy: Sendable, Hashable {
    /// The sequence is read only as fast as its frames are processed. Nothing is dropped. The pipeline's mode is batch.
    case wait

    /// One frame is in flight, and the newest frame of each stream waits for it. Older waiting frames are dropped. The pipeline's
    /// mode is live.
    ///
    /// Frames that continue one another (``Continuity/continues``) wait in a queue of 4,096 frames instead. When it is full, the
    /// current stroke is dropped: its waiting frames, and its further frames.
    case dropOldest

    /// One frame is in flight, and one frame of each stream waits for it. Frames that arrive while it waits are dropped. The
    /// pipeline's mode is live.
    case dropNewest

    /// A custom policy, for example with more frames in flight. The pipeline's mode is live.
    case policy(EdgePolicy)

    /// The mode of a pipeline whose source uses this policy.
    var mode: Mode { self == .wait ? .batch : .live }

    /// Returns the policy of an edge that leaves the source.
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

/// The timestamps of payloads that have none of their own.
public enum PayloadTimes: Sendable, Hashable {
    /// The first payload is at 0, and each later one follows after this interval. The same payloads always yield the same frames.
    case every(milliseconds: Double)

    /// The arrival time of each payload, measured from the start of the run.
    case arrival
}
