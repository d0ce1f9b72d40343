import Pipeline
import Stages

/// A frame of a table that a sink of this project has written.
struct WrittenFrame {
    /// The line of the first row of the frame, counted from 1.
    var line: Int
    var stream: StreamID
    var sequence: Int64
    var timestamp: Timestamp
    /// The time of the first sample, to which the times of the samples are relative; the timestamp if samples have no times.
    var start: Timestamp
    var samples: [Sample] = []
    var fields: SampleFields = []
    /// The number of samples of each number in the column `stroke`.
    var counts: [Int: Int] = [:]
    var phase: String?
    var label: String?
    var subject: String?
}

/// Reads a table that a sink of this project has written. Each row begins with the stream, the number and the timestamp of its
/// frame, and the rows of a frame follow one another. If the rows of two successive frames begin with the same cells, an empty
/// row separates the frames; in older tables, a lower number in the column `stroke` also begins another frame.
struct WrittenRows {
    private static let first = ["stream", "seq", "t_us"]

    private let columns: [String: Int]
    private var frame: WrittenFrame?
    /// The cells that the rows of the current frame begin with: the stream, the number and the timestamp.
    private var key: [[UInt8]] = []
    /// The number in the column `stroke` of the last row.
    private var stroke = 0.0
    /// Whether a row of the current frame could not be read.
    private var isLost = false

    /// Whether frames of a kind can be read from the table that is written for them.
    static func canRead(_ kind: Kind) -> Bool { kind == Stroke.kind || kind == Points.kind }

    /// Returns whether a header is that of a table that a sink of this project has written.
    static func isHeader(_ header: [String]) -> Bool { header.starts(with: first) }

    /// The error for a table that does not contain everything that its frames had.
    static var incomplete: PipelineError {
        .frame(
            "decode.column",
            "frames of this kind cannot be read from the CSV that pipectl writes, because it does not contain them completely",
            help: "read the recording that the table was made from (JSON Lines, MessagePack or MCAP)")
    }

    /// - Parameter kind: The kind of frames to read: `stroke` or `points`.
    /// - Throws: A frame error if the table does not contain frames of this kind.
    init(_ header: [String], of kind: Kind) throws(PipelineError) {
        columns = Dictionary(header.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        guard ["stroke", "x", "y", "sample_us", "p"].allSatisfy({ columns[$0] != nil }) else { throw Self.incomplete }
        let found = columns["phase"] == nil ? Stroke.kind : Points.kind
        guard found == kind else {
            throw .frame(
                "decode.kind", "expected \(kind.rawValue), found \(found.rawValue)",
                help: "write kind: \(found.rawValue)")
        }
    }

    /// Processes a row, and passes on the frame before it if the row begins another frame.
    ///
    /// - Throws: A frame error for an unreadable row. Its frame is lost.
    mutating func take(_ rows: TableRows, _ pass: (WrittenFrame) -> Void) throws(PipelineError) {
        guard rows.count >= columns.count else {
            throw .frame(
                "decode.missing", "the row has \(rows.count) of \(columns.count) cells; it was cut off",
                help: "read the recording that the table was made from, or remove the row")
        }
        try enter(rows, pass)
        // If a row of the frame was unreadable, its other rows are skipped.
        guard var frame else { return }
        self.frame = nil
        try add(rows, to: &frame)
        self.frame = frame
    }

    /// Notes that the current row could not be read, and passes on the frame before it if the row begins another frame.
    ///
    /// - Returns: The stream of the frame that is lost, or `nil` if that frame is already lost because of an earlier row.
    mutating func skip(_ rows: TableRows, _ pass: (WrittenFrame) -> Void) -> StreamID? {
        // The last cell of a row may have been cut off.
        if rows.count > Self.first.count { try? enter(rows, pass) }
        frame = nil
        defer { isLost = true }
        return isLost ? nil : StreamID(key.first.flatMap { String(validating: $0, as: UTF8.self) } ?? "")
    }

    /// Passes on the last frame at the end of the table.
    mutating func finish(_ pass: (WrittenFrame) -> Void) {
        if let ended = frame.take() { pass(ended) }
    }

    /// Begins the frame of the current row and passes on the frame before it, unless the row belongs to that frame. A row that does
    /// not say to which frame it belongs counts as a row of the frame before it.
    private mutating func enter(_ rows: TableRows, _ pass: (WrittenFrame) -> Void) throws(PipelineError) {
        let begin = (0..<Self.first.count).map { Array(rows.cell($0)) }
        let last = stroke
        stroke = columns["stroke"].flatMap { Connectors.number(in: rows.cell($0)) } ?? last
        guard begin != key || rows.followsEmptyRow || stroke < last else { return }
        let number = try text(rows, "seq") ?? ""
        guard let sequence = Int64(number) else { throw Self.wrong("seq", "a whole number", number) }
        let timestamp = Timestamp(rawValue: try TimeUnit.us.time(in: rows, 2))
        var new = WrittenFrame(
            line: rows.lineNumber, stream: StreamID(try text(rows, "stream") ?? ""), sequence: sequence,
            timestamp: timestamp, start: timestamp)
        finish(pass)
        (key, isLost) = (begin, false)
        new.phase = try text(rows, "phase")
        if let phase = new.phase, Points.Phase(rawValue: phase) == nil {
            throw Self.wrong("phase", Points.Phase.allCases.map(\.rawValue).joined(separator: ", "), phase)
        }
        new.label = try text(rows, "label")
        new.subject = try text(rows, "subject")
        frame = new
    }

    private func add(_ rows: TableRows, to frame: inout WrittenFrame) throws(PipelineError) {
        let stroke = Int(saturating: try number(rows, "stroke") ?? 0)
        let (x, y) = (try number(rows, "x"), try number(rows, "y"))
        let (time, pressure) = (try number(rows, "sample_us"), try number(rows, "p"))
        // A stroke or a piece of one without samples is a row without values.
        if x == nil, y == nil, time == nil, pressure == nil, frame.counts[stroke] == nil {
            frame.counts[stroke] = 0
            return
        }
        if frame.samples.isEmpty {
            if let time {
                // A sample may be earlier than any timestamp.
                frame.start = Timestamp(rawValue: try FieldMessage.time(max(time, 0), place: nil))
                frame.fields.insert(.time)
            }
            if pressure != nil { frame.fields.insert(.pressure) }
        }
        guard let x, let y, (time != nil) == frame.fields.contains(.time),
            (pressure != nil) == frame.fields.contains(.pressure)
        else {
            throw .frame("decode.missing", "the row lacks a coordinate, or a value that the first row of its frame has")
        }
        frame.counts[stroke, default: 0] += 1
        let t = time.map { $0 - Double(frame.start.rawValue) } ?? 0
        frame.samples.append(Sample(x: x, y: y, t: t, p: pressure ?? 0))
    }

    private func text(_ rows: TableRows, _ name: String) throws(PipelineError) -> String? {
        guard let place = columns[name], place < rows.count, !rows.cell(place).isEmpty else { return nil }
        return try rows.text(place)
    }

    /// Returns the number in a column, or `nil` for an empty cell.
    private func number(_ rows: TableRows, _ name: String) throws(PipelineError) -> Double? {
        guard let text = try text(rows, name) else { return nil }
        guard let number = Connectors.number(in: Array(text.utf8)[...]) else {
            throw Self.wrong(name, "a number", text)
        }
        return number
    }

    private static func wrong(_ column: String, _ wanted: String, _ text: String) -> PipelineError {
        .frame("decode.type", "column \(column): expected \(wanted), found \(quote(String(text.prefix(40))))")
    }
}
