import Pipeline
import Stages

/// Reads a table into frames.
// Belongs to one source, which calls it from one thread at a time.
final class TableFrames<P: WirePayload>: @unchecked Sendable {
    let lines: LineReader
    private let path: String
    private let parser: RowParser<P>
    private var rows: TableRows
    private var ready: [Frame<P>] = []
    private var taken = 0
    /// The failure that follows the frames in `ready`.
    private var failure: ReadItem<P>?
    private var isOver = false
    private var hasBegun = false

    /// Creates a reader of the table in `lines`. `path` is the name of the input in errors.
    init(_ lines: LineReader, path: String, delimiter: UInt8, parser: RowParser<P>) {
        self.lines = lines
        self.path = path
        self.parser = parser
        rows = TableRows(lines, delimiter: delimiter)
    }

    /// Whether the next item is probably available without waiting for input.
    var hasItem: Bool { taken < ready.count || failure != nil || rows.hasRow }

    /// Returns the next item, or `nil` at the end. If the waker ends a wait, that is also the end.
    func next() throws(SystemError) -> ReadItem<P>? {
        while true {
            if taken < ready.count {
                taken += 1
                return .frame(ready[taken - 1])
            }
            ready.removeAll(keepingCapacity: true)
            taken = 0
            if let failure = failure.take() { return failure }
            guard !isOver else { return nil }
            do {
                if !hasBegun {
                    hasBegun = true
                    if let error = binaryError(in: try lines.peek()) {
                        isOver = true
                        fail(error.located(in: path))
                        continue
                    }
                }
                guard try rows.next() else {
                    isOver = true
                    parser.finish(into: &ready)
                    continue
                }
                try parser.take(rows, into: &ready)
            } catch let error as SystemError {
                throw error
            } catch let error as PipelineError {
                if parser.isBroken { isOver = true }
                fail(error.located(in: "\(path), line \(rows.lineNumber)"))
            } catch {
                return nil
            }
        }
    }

    /// Makes an error the item after the complete frames, unless the frame of the current row has failed before.
    private func fail(_ error: PipelineError) {
        if let stream = parser.skip(rows, into: &ready) { failure = .failure(error, stream) }
    }
}
