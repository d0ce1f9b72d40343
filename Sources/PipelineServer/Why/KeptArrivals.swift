import Pipeline

/// Brings kept frames again when they came, on a clock of simulated time, so that what waits for a while does so again.
struct KeptArrivals<P: Payload>: Source {
    typealias Output = P

    let output: PortType
    private let frames: [Frame<P>]
    private let origin: Int64
    private var cursor = 0
    private var context: SourceContext?
    private var begin: Int64 = 0

    /// How long after the last frame it ends, in nanoseconds: longer than anything waits for a next one.
    private static var patience: Int64 { 60_000_000_000 }

    /// - Parameters:
    ///   - frames: In the order in which they came.
    ///   - origin: What time of arrival the beginning of the run stands for.
    init(_ frames: [Frame<P>], origin: Int64, output: PortType) {
        (self.frames, self.origin, self.output) = (frames, origin, output)
    }

    var timing: SourceTiming { .live }

    mutating func open(_ context: SourceContext) {
        self.context = context
        begin = context.clock.now
    }

    mutating func read(into batch: inout SourceBatch<P>) async throws -> Bool {
        guard let context else { return false }
        while cursor < frames.count, !batch.isFull {
            let moment = begin + frames[cursor].arrival - origin
            if moment > context.clock.now {
                if !batch.isEmpty { return true }
                try await context.clock.sleep(until: moment)
            }
            batch.append(frames[cursor])
            cursor += 1
        }
        if !batch.isEmpty { return true }
        try await context.clock.sleep(until: context.clock.now + Self.patience)
        return false
    }
}
