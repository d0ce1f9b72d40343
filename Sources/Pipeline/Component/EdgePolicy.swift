/// The policy of an edge: its capacity, and what happens when it is full.
public struct EdgePolicy: Sendable, Hashable {
    /// What becomes of a frame that finds the edge full.
    public enum OnFull: String, Sendable, CaseIterable {
        /// The sender waits.
        case wait
        /// The frame that has waited longest is dropped.
        case dropOldest = "drop_oldest"
        /// The new frame is dropped.
        case dropNewest = "drop_newest"
        /// The run fails.
        case fail
    }

    /// How many frames it holds; with ``inFlight``, how many of each stream may wait.
    public var capacity: Int

    /// How much stream time it holds, in milliseconds, if limited.
    public var capacityMs: Double?

    /// What happens to a frame when the edge is full.
    public var onFull: OnFull

    /// How many of its frames may be unfinished behind it; `nil` for any number. A frame is finished when all that came
    /// of it has passed every sink behind the edge; a branch behind another dropping edge does not count.
    public var inFlight: Int?

    /// After how long an unfinished frame no longer counts, in milliseconds of the run's clock; `nil` for never. It is
    /// still worked on.
    public var timeoutMs: Double?

    /// After how long a silence it no longer delays the sets of an aligned input, in milliseconds of the run's clock;
    /// `nil` for never. Live runs only.
    public var idleTimeoutMs: Double?

    /// States a policy.
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

    /// Whether frames may be dropped on the edge, so that a slow consumer never blocks the producer.
    public var drops: Bool { onFull == .dropOldest || onFull == .dropNewest }
}
