import Pipeline
import Stages

/// One row of a table: a sample and the gesture to which it belongs.
struct TableSample {
    /// The line on which the row begins, counted from 1.
    var line: Int

    /// The coordinates and the pressure. The time is in `time`.
    var sample: Sample

    /// The time in microseconds; `nil` if the table has no time column.
    var time: Int64?

    /// Whether the row has a pressure.
    var hasPressure: Bool

    /// The contents of the stroke and gesture cells.
    var stroke: ArraySlice<UInt8>
    var gesture: ArraySlice<UInt8>

    /// Whether the table has a gesture column.
    var hasGesture: Bool

    /// Whether the table has a column that separates the samples of one gesture from those of another.
    var isGrouped: Bool

    /// The stream.
    var stream: StreamID

    /// The label; `nil` if the row has none.
    var label: String?
}

/// Creates frames from the samples of a table. There is one assembler for each file.
// Belongs to one source, which calls it from one thread at a time.
class RowAssembler<P: Payload>: @unchecked Sendable {
    /// Processes a sample and appends the frames that are complete.
    ///
    /// - Throws: A frame error if the sample does not fit the ones before it. The row then counts as unreadable: see `skip`.
    func add(_ row: TableSample, into frames: inout [Frame<P>]) throws(PipelineError) {}

    /// A row of the frame that is not complete yet; `nil` if there is none.
    var current: TableSample? { nil }

    /// Notes that a row could not be read, and appends the frames that end before it. The frame of the row is lost.
    ///
    /// - Returns: Whether it is the first such row of its frame.
    func skip(_ row: TableSample, into frames: inout [Frame<P>]) -> Bool { true }

    /// Appends the remaining frames at the end of the file.
    func finish(into frames: inout [Frame<P>]) {}

    /// Appends a frame of a table that a sink of this project has written.
    func add(_ frame: WrittenFrame, into frames: inout [Frame<P>]) {}
}

/// Reads the rows of a table with one sample in each row.
// Belongs to one source, which calls it from one thread at a time.
final class SampleRows<P: WirePayload>: RowParser<P>, @unchecked Sendable {
    private let options: DecodeOptions
    private let table: TableSettings
    private let assembler: RowAssembler<P>
    private var columns: Columns?
    private var written: WrittenRows?

    /// The indices of the columns, from 0; −1 for a column that does not exist.
    private struct Columns {
        var x = -1
        var y = -1
        var t = -1
        var p = -1
        var stroke = -1
        var gesture = -1
        var stream = -1
        var label = -1
    }

    /// Creates a parser whose samples `assembler` turns into frames.
    init(_ table: TableSettings, assembler: RowAssembler<P>) {
        (self.table, options, self.assembler) = (table, table.decode, assembler)
    }

    override func take(_ rows: TableRows, into frames: inout [Frame<P>]) throws(PipelineError) {
        if let read: Void = try written?.take(rows, { assembler.add($0, into: &frames) }) { return read }
        if columns == nil, try findColumns(rows) { return }
        if let columns { try assembler.add(try sample(rows, columns), into: &frames) }
    }

    override func finish(into frames: inout [Frame<P>]) {
        written?.finish { assembler.add($0, into: &frames) }
        assembler.finish(into: &frames)
    }

    override func skip(_ rows: TableRows, into frames: inout [Frame<P>]) -> StreamID? {
        if written != nil { return written?.skip(rows) { assembler.add($0, into: &frames) } }
        guard let columns else { return table.defaultStream }
        // A row without the cells that identify its gesture counts as a row of the gesture before it.
        let isKnown = rows.count > max(columns.stroke, columns.gesture, columns.stream, columns.label)
        let row = isKnown ? try? place(rows, columns, label: try? rows.text(columns.label)) : nil
        guard let row = row ?? assembler.current else { return table.stream(of: rows, columns.stream) }
        return assembler.skip(row, into: &frames) ? row.stream : nil
    }

    /// Finds the columns from the first row. Returns whether that row is a header.
    private func findColumns(_ rows: TableRows) throws(PipelineError) -> Bool {
        let wanted = options.columns
        let references = [
            wanted.x, wanted.y, wanted.t, wanted.p, wanted.stroke, wanted.gesture, wanted.stream, wanted.label,
        ]
        let isByName = references.contains { if case .name = $0 { true } else { false } }
        let isHeader: Bool
        switch options.header {
        case .yes: isHeader = true
        case .no: isHeader = false
        case .auto:
            if isByName {
                isHeader = true
            } else if case .number(let x) = wanted.x {
                isHeader = !rows.isNumber(x - 1)
            } else {
                isHeader = false
            }
        }
        let header =
            isHeader ? (0..<rows.count).map { String(decoding: rows.cell($0), as: UTF8.self) } : []
        func place(_ reference: ColumnReference?) throws(PipelineError) -> Int {
            try ColumnReference.place(reference, in: header)
        }
        do throws(PipelineError) {
            if wanted == ColumnMap(), WrittenRows.isHeader(header) {
                written = try WrittenRows(header, of: P.kind)
                return true
            }
            var found = Columns(
                x: try place(wanted.x), y: try place(wanted.y), t: try place(wanted.t), p: try place(wanted.p),
                stroke: try place(wanted.stroke), gesture: try place(wanted.gesture),
                stream: try place(wanted.stream), label: try place(wanted.label))
            if wanted != ColumnMap() {
                noteUnreadColumns(in: header, found)
            } else {
                // No columns are configured, so columns with these names in the header are used.
                found.t = header.firstIndex(of: "t") ?? -1
                guard found.t < 0 || options.tUnit != nil else {
                    throw .frame(
                        "decode.time_unit", "the unit of the times of column \"t\" is missing",
                        help: "add t_unit: s, ms, us or ns, or iso8601 for texts with a date")
                }
                found.p = header.firstIndex(of: "p") ?? -1
                found.stroke = header.firstIndex(of: "stroke") ?? -1
                found.gesture = header.firstIndex(of: "gesture") ?? -1
                found.stream = header.firstIndex(of: "stream") ?? -1
                found.label = header.firstIndex(of: "label") ?? -1
            }
            columns = found
        } catch {
            // Without its columns, no row of the table can be read. This is reported as one error, not one for every row.
            isBroken = true
            throw error
        }
        return isHeader
    }

    /// Notes columns that would be read if no columns were configured, but are not, because `columns` assigns others.
    private func noteUnreadColumns(in header: [String], _ found: Columns) {
        var places = [("t", found.t), ("p", found.p), ("stroke", found.stroke), ("stream", found.stream)]
        if P.kind == Stroke.kind { places += [("gesture", found.gesture), ("label", found.label)] }
        let read = [found.x, found.y] + places.map(\.1)
        let unread = places.filter { name, place in
            place < 0 && header.firstIndex(of: name).map { !read.contains($0) } == true
        }
        if !unread.isEmpty { table.timeline.noteUnreadColumns(unread.map(\.0), of: table.origins.file) }
    }

    /// Returns what a row says about its gesture, without the values of its sample.
    private func place(
        _ rows: TableRows, _ columns: Columns, label: String?
    ) throws(PipelineError) -> TableSample {
        let stream = columns.stream >= 0 ? StreamID(try rows.text(columns.stream)) : table.defaultStream
        return TableSample(
            line: rows.lineNumber, sample: Sample(x: 0, y: 0), time: nil,
            hasPressure: columns.p >= 0 && !rows.cell(columns.p).isEmpty,
            stroke: rows.cell(columns.stroke),
            gesture: rows.cell(columns.gesture), hasGesture: columns.gesture >= 0,
            isGrouped: max(columns.stroke, columns.gesture, columns.stream, columns.label) >= 0, stream: stream,
            label: label?.isEmpty == true ? nil : label)
    }

    private func sample(_ rows: TableRows, _ columns: Columns) throws(PipelineError) -> TableSample {
        func value(_ index: Int, _ what: String) throws(PipelineError) -> Double {
            let cell = rows.cell(index)
            if let value = number(in: cell) { return value }
            let text = String(decoding: cell.prefix(40), as: UTF8.self)
            throw .frame(
                "decode.type",
                "column \(index + 1) (\(what)): expected a number, found \(text.isEmpty ? "nothing" : quote(text))")
        }
        var row = try place(rows, columns, label: columns.label < 0 ? nil : try rows.text(columns.label))
        row.sample = Sample(x: try value(columns.x, "x"), y: try value(columns.y, "y"))
        if columns.t >= 0 { row.time = try (options.tUnit ?? .s).time(in: rows, columns.t) }
        if row.hasPressure { row.sample.p = try value(columns.p, "p") }
        return row
    }
}
