/// The policy of an edge: its capacity, and what happens when it is full.
public struct EdgePolicy: Sendable, Hashable {
    /// What happens to a frame when the edge is full.
    public enum OnFull: String, Sendable, CaseIterable {
        /// The producer waits (backpressure).
        case wait
        /// The frame that has waited the longest is dropped.
        case dropOldest = "drop_oldest"
        /// The new frame is dropped.
        case dropNewest = "drop_newest"
        /// The run fails.
        case fail
    }

    /// The number of frames that the edge can hold. If ``inFlight`` is set, the number of frames that can wait per stream.
    public var capacity: Int

    /// The amount of stream time that the edge can hold, in milliseconds; `nil` for no limit.
    public var capacityMs: Double?

    /// What happens to a frame when the edge is full.
    public var onFull: OnFull

    /// The number of frames that may be in flight downstream of the edge; `nil` for any number.
    ///
    /// A frame is in flight until every sink downstream has finished everything that was made from it. Sinks downstream of another
    /// edge that drops frames do not count.
    public var inFlight: Int?

    /// The time after which an unfinished frame no longer counts as in flight, in milliseconds of the run's clock; `nil` for
    /// never. The frame is still processed.
    public var timeoutMs: Double?

    /// The time without frames after which an aligned input no longer waits for this edge, in milliseconds of the run's clock;
    /// `nil` for never. Only for live runs.
    public var idleTimeoutMs: Double?

    /// Creates a policy.
    public init(
        capacity: Int = 64, capacityMs: Double? = nil, onFull: OnFull = .wait, inFlight: Int? = nil,
        timeoutMs: Double? = nil, idleTimeoutMs: Double? = nil
    ) {
        self.idleTimeoutMs = idleTimeoutMs
        self.capacity = capacity
        self.capacityMs = capacityMs
        self.onFull = onFull
        self.inFlight = inFlight
        self.timeoutMs = timeoutMs
    }

    /// The policy of an edge that is not configured: the producer waits.
    ///
    /// In batch mode, the edge holds more frames, so that two tasks wait for each other less often. In live mode, the frames in a
    /// long queue would become old.
    package static func standard(_ mode: Mode) -> EdgePolicy { EdgePolicy(capacity: mode == .batch ? 256 : 64) }

    /// Whether frames may be dropped on the edge, so that a slow consumer never blocks the producer.
    public var drops: Bool { onFull == .dropOldest || onFull == .dropNewest }
}
