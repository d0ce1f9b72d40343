/// How the edges that leave a live pipeline's sources behave unless the configuration says otherwise.
package struct LiveDefaults: Sendable {
    /// How many frames may be unfinished behind an edge to a stage.
    package var inFlight = 1

    /// How many frames of each stream may wait there.
    package var capacity = 1

    /// What becomes of a frame that finds no room.
    package var onFull = EdgePolicy.OnFull.dropOldest

    /// How long an unfinished frame counts, in milliseconds.
    package var timeoutMs: Double?

    /// One frame is in flight, and of each stream the newest one waits.
    package init() {}

    /// The policy of an edge from a source.
    ///
    /// To a stage: drop while busy, as `live` says. Frames that continue one another cannot be dropped one by one: they
    /// have an edge of 4,096 frames, and when that is full the whole stroke goes. A sink takes its frames before any of
    /// that and holds no slot; it must not hold the source back either, so its edge of 4,096 frames drops the oldest.
    package func policy(toSink: Bool, _ continuity: Continuity) -> EdgePolicy {
        switch (continuity, toSink) {
        case (.continues, _): EdgePolicy(capacity: 4096, onFull: .dropNewest)
        case (.standsAlone, true): EdgePolicy(capacity: 4096, onFull: .dropOldest)
        case (.standsAlone, false):
            EdgePolicy(capacity: capacity, onFull: onFull, inFlight: inFlight, timeoutMs: timeoutMs)
        }
    }
}
