/// A source that reads any asynchronous sequence of frames or payloads.
// The iterator of a sequence is not Sendable; the engine calls a source from one task only, one call at a time.
public final class SequenceSource<Base: AsyncSequence, Output: Payload>: Source, @unchecked Sendable {
    /// `nil` after the end, so that the sequence notices that nobody reads it.
    private var iterator: Base.AsyncIterator?
    private let frame: (SequenceSource, Base.Element) -> Frame<Output>
    private var clock: (any RunClock)?
    private var began: Int64 = 0
    private var count: Int64 = 0
    private var last = Timestamp.beforeAll
    public let output: PortType
    public let timing: SourceTiming

    /// Creates a source from a sequence of frames.
    public init(
        _ base: sending Base, output: PortType = PortType(Output.self), timing: SourceTiming = .recorded
    ) where Base.Element == Frame<Output> {
        iterator = base.makeAsyncIterator()
        frame = { $1 }
        self.output = output
        self.timing = timing
    }

    /// Creates a source from a sequence of payloads. The frames are numbered from 0.
    ///
    /// - Parameters:
    ///   - base: The sequence.
    ///   - stream: The stream that the payloads belong to.
    ///   - times: The timestamps of the payloads. Each is at least 1 µs after the previous one.
    ///   - output: The port type of the payloads.
    ///   - timing: Whether the frames are live or recorded.
    public init(
        _ base: sending Base, stream: StreamID, times: PayloadTimes, output: PortType = PortType(Output.self),
        timing: SourceTiming = .recorded
    ) where Base.Element == Output {
        iterator = base.makeAsyncIterator()
        frame = { source, payload in
            Frame(payload, at: source.nextTime(times), stream: stream, sequence: source.count - 1)
        }
        self.output = output
        self.timing = timing
    }

    public func open(_ context: SourceContext) async throws {
        clock = context.clock
        began = context.clock.now
    }

    public nonisolated(nonsending) func read(into batch: inout SourceBatch<Output>) async throws -> Bool {
        guard let element = try await iterator?.next() else { return false }
        batch.append(frame(self, element))
        return true
    }

    public func close() async { iterator = nil }

    private func nextTime(_ times: PayloadTimes) -> Timestamp {
        let time: Timestamp =
            switch times {
            case .every(let milliseconds):
                .microseconds(Int64(min(max(0, Double(count) * milliseconds * 1000), 9e15).rounded()))
            case .arrival: .microseconds(max(0, (clock?.now ?? 0) - began) / 1000)
            }
        count += 1
        last = max(time, last == .beforeAll ? .zero : .microseconds(last.rawValue + 1))
        return last
    }
}
