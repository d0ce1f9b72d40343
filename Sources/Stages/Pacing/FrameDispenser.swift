import Pipeline

/// Emits frames that were created in advance, each when it is due.
struct FrameDispenser<P: Payload>: Sendable {
    /// The frames created in advance. Some of them may already have been emitted.
    var ready: [Frame<P>] = []

    /// Whether there may be more frames; `false` after a request to stop the source.
    private(set) var hasMore = true

    private var taken = 0
    private var pacer: ReplayPacer
    private var context: SourceContext?

    /// Creates a dispenser for a replay rate.
    init(_ rate: ReplayRate) { pacer = ReplayPacer(rate) }

    /// Sets the context when the source is opened.
    mutating func open(_ context: SourceContext) { self.context = context }

    /// Moves the frames that are due into a batch, and waits for the next one if the batch is empty.
    ///
    /// - Returns: `true` if the source must create more frames; `false` if the batch is ready, or if the source must stop.
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
