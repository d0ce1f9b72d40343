import Pipeline
import Synchronization

/// The frames and events that a ``CollectingSink`` received, for a test to check after the run.
public final class Collector<Input: Payload>: Sendable {
    private struct State {
        var frames: [Frame<Input>] = []
        var ended: [StreamID] = []
        var isClosed = false
    }

    private let state = Lock(State())

    /// Creates an empty collector.
    public init() {}

    /// All frames, in the order in which they were written.
    public var frames: [Frame<Input>] { state.withLock { $0.frames } }

    /// The streams that ended, in order.
    public var ended: [StreamID] { state.withLock { $0.ended } }

    /// Whether the sink was closed.
    public var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Creates a sink that stores its frames in this collector.
    ///
    /// - Parameter mayBlock: Whether the sink may block, so that the engine must give it its own task and thread.
    public func sink(mayBlock: Bool = false) -> CollectingSink<Input> {
        CollectingSink(self, mayBlock: mayBlock)
    }

    fileprivate func add(_ frame: Frame<Input>) { state.withLock { $0.frames.append(frame) } }
    fileprivate func end(_ stream: StreamID) { state.withLock { $0.ended.append(stream) } }
    fileprivate func close() { state.withLock { $0.isClosed = true } }
}

/// A sink that stores all frames and events in a ``Collector``.
public struct CollectingSink<Input: Payload>: Sink {
    private let collector: Collector<Input>
    public let mayBlock: Bool

    fileprivate init(_ collector: Collector<Input>, mayBlock: Bool) {
        self.collector = collector
        self.mayBlock = mayBlock
    }

    public mutating func write(_ frame: Frame<Input>) { collector.add(frame) }
    public mutating func end(_ stream: StreamID) { collector.end(stream) }
    public mutating func close() { collector.close() }
}
