/// The default policies of the edges that leave the sources of a live pipeline.
package struct LiveDefaults: Sendable {
    /// The maximum number of frames in flight downstream of an edge to a stage.
    package var inFlight = 1

    /// The maximum number of frames of each stream that may wait on the edge.
    package var capacity = 1

    /// What happens to a frame if the edge is full.
    package var onFull = EdgePolicy.OnFull.dropOldest

    /// The time after which an unfinished frame no longer counts as in flight, in milliseconds; `nil` for no limit.
    package var timeoutMs: Double?

    /// Creates the defaults: one frame is in flight, and the newest frame of each stream waits.
    package init() {}

    /// Returns the policy of an edge from a source.
    ///
    /// An edge to a stage drops frames while the stage is busy, by default or as configured under `live`. Frames that continue one
    /// another cannot be dropped individually. Their edge holds 4,096 frames. When it is full, the current stroke is dropped: its
    /// waiting frames, and its further frames.
    ///
    /// An edge to a sink has no limit on frames in flight, so the sink also gets the frames that the edge to a stage drops. The
    /// edge holds 4,096 frames. When it is full, it drops the oldest frame, so that a slow sink does not delay the source.
    package func policy(toSink: Bool, _ continuity: Continuity) -> EdgePolicy {
        switch (continuity, toSink) {
        case (.continues, _): EdgePolicy(capacity: 4096, onFull: .dropNewest)
        case (.standsAlone, true): EdgePolicy(capacity: 4096, onFull: .dropOldest)
        case (.standsAlone, false):
            EdgePolicy(capacity: capacity, onFull: onFull, inFlight: inFlight, timeoutMs: timeoutMs)
        }
    }
}
