import Pipeline

/// Reads a table whose columns are the fields that a payload declares. Each row is one frame.
///
/// The first row is a header. Columns have the names that sinks write (those of the fields, `stream`, `seq` and `t_us`) or the
/// names that `decode` gives.
// Belongs to one source, which calls it from one thread at a time.
final class FieldRows<P: MessagePayload>: RowParser<P>, @unchecked Sendable {
    private let table: TableSettings
    private var message = WireMessage(declared: P.messageFields)
    /// The indices of the columns, from 0; −1 for a column that does not exist. `nil` until the header has been read.
    private var columns: (fields: [Int], t: Int, sequence: Int, stream: Int)?
    private var counters = StreamCounters()

    /// Creates a parser for one table.
    init(_ table: TableSettings) { self.table = table }

    override func take(_ rows: TableRows, into frames: inout [Frame<P>]) throws(PipelineError) {
        guard let columns else {
            do { try findColumns(rows) } catch {
                isBroken = true
                throw error
            }
            return
        }
        message.forget()
        for (index, column) in columns.fields.enumerated() where column >= 0 {
            try message.declared.take(rows.cell(column), index)
        }
        let stream =
            columns.stream < 0
            ? table.defaultStream : StreamID(String(decoding: rows.cell(columns.stream), as: UTF8.self))
        let sequence: Int64
        let payload = try P._read(&message)
        let given = columns.sequence < 0 ? nil : try whole(rows.cell(columns.sequence), "seq")
        let time: Timestamp
        if columns.t >= 0 {
            sequence = counters.next(of: stream)
            time = Timestamp(
                rawValue: table.decode.columns.t == nil
                    ? try whole(rows.cell(columns.t), "t_us") : try (table.decode.tUnit ?? .s).time(in: rows, columns.t)
            )
        } else {
            (time, sequence) = table.timeline.next(of: stream, hz: table.decode.hz)
        }
        frames.append(
            Frame(
                payload, at: time, stream: stream, sequence: given ?? sequence,
                origin: table.origins.origin(line: rows.lineNumber)))
    }

    override func skip(_ rows: TableRows, into frames: inout [Frame<P>]) -> StreamID? {
        if columns != nil { table.timeline.skip() }
        return table.stream(of: rows, columns?.stream ?? -1)
    }

    private func findColumns(_ rows: TableRows) throws(PipelineError) {
        let header = (0..<rows.count).map { String(decoding: rows.cell($0), as: UTF8.self) }
        let wanted = table.decode
        func place(_ reference: ColumnReference?, _ usual: String) throws(PipelineError) -> Int {
            guard let reference else { return header.firstIndex(of: usual) ?? -1 }
            return try ColumnReference.place(reference, in: header)
        }
        var fields: [Int] = []
        for field in P.messageFields {
            let path = wanted.keys.paths[field.name]?.first
            let column = try place(path.map { .name($0.description) }, field.name)
            guard column >= 0 || field.isOptional else {
                throw .frame(
                    "decode.column", "no column is named \"\(field.name)\"",
                    help:
                        "the header has: \(shortList(header)); decode: { keys: { \(field.name): … } } names another column"
                )
            }
            fields.append(column)
        }
        columns = (
            fields, try place(wanted.columns.t, "t_us"), try place(nil, "seq"),
            try place(wanted.columns.stream, "stream")
        )
    }

    private func whole(_ cell: ArraySlice<UInt8>, _ name: String) throws(PipelineError) -> Int64 {
        guard let number = Int64(String(decoding: cell, as: UTF8.self)), (0...Timestamp.max.rawValue).contains(number)
        else { throw .frame("decode.type", "\"\(name)\": expected a whole number from 0 to 2^53 − 1") }
        return number
    }
}
