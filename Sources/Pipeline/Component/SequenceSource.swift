/// Makes a source of any asynchronous sequence of frames.
// The iterator of a sequence is not Sendable; the engine calls a source from one task only, one call at a time.
public final class SequenceSource<Base: AsyncSequence, Output: Payload>: Source, @unchecked Sendable
where Base.Element == Frame<Output> {
    private var iterator: Base.AsyncIterator
    public let output: PortType
    public let timing: SourceTiming

    /// Wraps a sequence.
    public init(
        _ base: sending Base, output: PortType = PortType(Output.self), timing: SourceTiming = .recorded
    ) {
        iterator = base.makeAsyncIterator()
        self.output = output
        self.timing = timing
    }

    public nonisolated(nonsending) func read(into batch: inout SourceBatch<Output>) async throws -> Bool {
        guard let frame = try await iterator.next() else { return false }
        batch.append(frame)
        return true
    }
}
