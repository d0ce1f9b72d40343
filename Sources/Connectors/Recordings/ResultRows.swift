import Pipeline
import Synchronization

/// The frames that a sink receives, as JSON Lines. These are the bytes that `stdout: { format: jsonl }` would write.
package final class ResultRows: Sendable {
    private let rows = Lock((text: TextBuffer(), count: 0))

    /// Creates an empty list.
    package init() {}

    /// The number of frames.
    package var count: Int { rows.withLock { $0.count } }

    /// The lines, each with its line feed.
    package var text: String { rows.withLock { $0.text.text } }

    /// Returns a sink that replaces another sink and adds the frames that it receives.
    ///
    /// - Parameter mayBlock: Whether the replaced sink may block. With the same value, frames reach the new sink in the same way:
    ///   through a queue or by a direct call.
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
