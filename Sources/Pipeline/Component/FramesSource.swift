/// A source that emits given items in batches of a given size.
///
/// Tests use it to check that the output of a pipeline does not depend on how its input is split into batches.
public struct FramesSource<Output: Payload>: Source {
    /// An item that the source can emit.
    public enum Item: Sendable {
        case frame(Frame<Output>)
        /// An input that could not be decoded.
        case failure(PipelineError)
        /// A watermark for all streams: no frame at or before this time follows.
        case bound(Timestamp)
        /// A stream ends.
        case end(StreamID)
        /// This many frames of a stream are known to be lost.
        case lost(Int64, StreamID)
    }

    public let output: PortType
    public let timing: SourceTiming
    private let items: [Item]
    private let batchSize: Int
    private var cursor = 0

    /// Creates a source that emits items.
    public init(
        items: [Item], batchSize: Int = .max, output: PortType = PortType(Output.self),
        timing: SourceTiming = .recorded
    ) {
        self.items = items
        self.batchSize = max(1, batchSize)
        self.output = output
        self.timing = timing
    }

    /// Creates a source that emits frames.
    public init(_ frames: [Frame<Output>], batchSize: Int = .max) {
        self.init(items: frames.map { .frame($0) }, batchSize: batchSize)
    }

    public mutating func read(into batch: inout SourceBatch<Output>) async throws -> Bool {
        var count = 0
        while cursor < items.count, count < batchSize, !batch.isFull {
            switch items[cursor] {
            case .frame(let frame): batch.append(frame)
            case .failure(let error): batch.fail(error)
            case .bound(let time): batch.advance(to: time)
            case .end(let stream): batch.end(stream)
            case .lost(let number, let stream): batch.lost(number, of: stream)
            }
            cursor += 1
            count += 1
        }
        return cursor < items.count
    }
}
