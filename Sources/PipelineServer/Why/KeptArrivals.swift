import Pipeline

/// A source that emits kept frames at their original arrival times on a simulated clock, so that timeouts occur as in the original
/// run.
struct KeptArrivals<P: Payload>: Source {
    typealias Output = P

    let output: PortType
    private let frames: [Frame<P>]
    private let span: ClosedRange<Int64>
    private var cursor = 0
    private var context: SourceContext?
    private var begin: Int64 = 0

    /// The time from the last frame, or from the end of the span if that is later, to the end of the source, in nanoseconds. It
    /// covers the lateness of the run, and stages that emit a frame later than its timestamp.
    private static var patience: Int64 { 60_000_000_000 }

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - frames: The frames, in order of arrival.
    ///   - span: The time of the original run to repeat. It begins with the arrival that corresponds to the start of this run.
    init(_ frames: [Frame<P>], during span: ClosedRange<Int64>, output: PortType) {
        (self.frames, self.span, self.output) = (frames, span, output)
    }

    var timing: SourceTiming { .live }

    mutating func open(_ context: SourceContext) {
        self.context = context
        begin = context.clock.now
    }

    mutating func read(into batch: inout SourceBatch<P>) async throws -> Bool {
        guard let context else { return false }
        while cursor < frames.count, !batch.isFull {
            let moment = begin + frames[cursor].arrival - span.lowerBound
            if moment > context.clock.now {
                if !batch.isEmpty { return true }
                try await context.clock.sleep(until: moment)
            }
            batch.append(frames[cursor])
            cursor += 1
        }
        if !batch.isEmpty { return true }
        let end = max(context.clock.now, begin.addingSaturated(span.upperBound.subtractingSaturated(span.lowerBound)))
        try await context.clock.sleep(until: end.addingSaturated(Self.patience))
        return false
    }
}
