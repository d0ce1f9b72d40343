import Pipeline
import Synchronization

/// The frames that a sink receives, as JSON Lines: the bytes that `stdout: { format: jsonl }` would write in its place.
package final class ResultRows: Sendable {
    private let rows = Lock((text: TextBuffer(), count: 0))

    /// Creates an empty list.
    package init() {}

    /// The number of frames.
    package var count: Int { rows.withLock { $0.count } }

    /// The lines, each with its line feed.
    package var text: String { rows.withLock { $0.text.text } }

    /// Returns a sink that adds the frames it receives, in place of another sink.
    ///
    /// - Parameter mayBlock: Whether the other sink may block. The position in the graph then stays the same.
    /// - Throws: A configuration error for a payload that cannot be written.
    package func sink(for input: PortType, mayBlock: Bool) throws -> any Sink {
        try Maker(rows: self, mayBlock: mayBlock).sink(for: input)
    }

    fileprivate func add<P: WireEncodable>(_ frame: Frame<P>, _ encoder: CanonicalEncoder) throws {
        try rows.withLock { rows in
            try encoder.encode(frame, into: &rows.text)
            rows.text.byte(0x0A)
            rows.count += 1
        }
    }

    struct Maker: SinkMaker {
        let rows: ResultRows
        let mayBlock: Bool

        func make<P: WireEncodable>(_ payload: P.Type) -> CompiledSink<P> {
            CompiledSink(RowSink<P>(rows: rows, mayBlock: mayBlock))
        }
    }
}

private struct RowSink<P: WireEncodable>: Sink {
    typealias Input = P

    let rows: ResultRows
    let mayBlock: Bool
    private let encoder = CanonicalEncoder()

    init(rows: ResultRows, mayBlock: Bool) { (self.rows, self.mayBlock) = (rows, mayBlock) }

    mutating func write(_ frame: Frame<P>) throws { try rows.add(frame, encoder) }
}
