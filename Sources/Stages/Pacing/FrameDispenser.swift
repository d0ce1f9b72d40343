import Pipeline

/// Hands out frames that were made ahead, when they are due.
struct FrameDispenser<P: Payload>: Sendable {
    /// Frames that were made and not all handed out.
    var ready: [Frame<P>] = []

    /// Whether there may be more: not when the source was told to stop.
    private(set) var hasMore = true

    private var taken = 0
    private var pacer: ReplayPacer
    private var context: SourceContext?

    /// Hands out frames at a rate.
    init(_ rate: ReplayRate) { pacer = ReplayPacer(rate) }

    /// Takes what the source is opened with.
    mutating func open(_ context: SourceContext) { self.context = context }

    /// Hands out what is ready and due.
    ///
    /// - Returns: Whether more frames are to be made; otherwise the batch is ready, or the source was told to stop.
    mutating func dispense(into batch: inout SourceBatch<P>) async throws -> Bool {
        while !batch.isFull {
            if context?.stop.isRequested == true {
                hasMore = false
                return false
            }
            guard taken < ready.count else {
                ready.removeAll(keepingCapacity: true)
                taken = 0
                return true
            }
            let frame = ready[taken]
            if let clock = context?.clock,
                let due = pacer.due(of: frame.stream, at: frame.timestamp, now: clock.now), due > clock.now
            {
                if !batch.isEmpty { return false }
                try await clock.sleep(until: min(due, clock.now + 100_000_000))
                continue
            }
            taken += 1
            batch.append(frame)
        }
        return false
    }
}
