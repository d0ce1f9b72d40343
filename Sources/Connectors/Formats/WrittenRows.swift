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
    /// The numbers in the column `stroke`: one for each row.
    var strokes: [Int] = []
    var phase: String?
    var label: String?
    var subject: String?
}

/// Reads a table that a sink of this project has written. Each row begins with the stream, the number and the timestamp of its
/// frame, and the rows of a frame follow one another.
struct WrittenRows {
    private static let first = ["stream", "seq", "t_us"]

    private let columns: [String: Int]
    private var frame: WrittenFrame?
    /// The frame that has an unreadable row. Its other rows are skipped.
    private var damaged: (stream: StreamID, sequence: Int64)?

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
        let stream = StreamID(try text(rows, "stream") ?? "")
        let sequence = Int64(saturating: try number(rows, "seq") ?? 0)
        if let damaged, damaged == (stream, sequence) { return }
        damaged = nil
        if let frame, (frame.stream, frame.sequence) != (stream, sequence) { finish(pass) }
        do throws(PipelineError) {
            try add(rows, stream, sequence)
        } catch {
            frame = nil
            damaged = (stream, sequence)
            throw error
        }
    }

    /// Passes on the last frame at the end of the table.
    mutating func finish(_ pass: (WrittenFrame) -> Void) {
        if let ended = frame.take() { pass(ended) }
    }

    private mutating func add(_ rows: TableRows, _ stream: StreamID, _ sequence: Int64) throws(PipelineError) {
        let time = try number(rows, "sample_us")
        let pressure = try number(rows, "p")
        if frame == nil {
            guard let place = columns["t_us"] else { return }
            let timestamp = Timestamp(rawValue: try TimeUnit.us.time(in: rows, place))
            let phase = try text(rows, "phase")
            if let phase, Points.Phase(rawValue: phase) == nil {
                throw .frame(
                    "decode.phase", "expected begin, move, end or cancel, found \(quote(String(phase.prefix(40))))")
            }
            let start = try time.map { (time) throws(PipelineError) in try FieldMessage.time(time, place: nil) }
            frame = WrittenFrame(
                line: rows.lineNumber, stream: stream, sequence: sequence, timestamp: timestamp,
                start: start.map { Timestamp(rawValue: $0) } ?? timestamp, phase: phase,
                label: try text(rows, "label"), subject: try text(rows, "subject"))
            if time != nil { frame?.fields.insert(.time) }
            if pressure != nil { frame?.fields.insert(.pressure) }
        }
        let stroke = Int(saturating: try number(rows, "stroke") ?? 0)
        frame?.strokes.append(stroke)
        // A piece of a stroke without samples is a row without coordinates.
        guard let x = try number(rows, "x"), let y = try number(rows, "y") else { return }
        let start = Double(frame?.start.rawValue ?? 0)
        frame?.samples.append(Sample(x: x, y: y, t: time.map { $0 - start } ?? 0, p: pressure ?? 0))
    }

    private func text(_ rows: TableRows, _ name: String) throws(PipelineError) -> String? {
        guard let place = columns[name], place < rows.count, !rows.cell(place).isEmpty else { return nil }
        return try rows.text(place)
    }

    /// Returns the number in a column, or `nil` for an empty cell.
    private func number(_ rows: TableRows, _ name: String) throws(PipelineError) -> Double? {
        guard let text = try text(rows, name) else { return nil }
        guard let number = Connectors.number(in: Array(text.utf8)[...]) else {
            throw .frame("decode.type", "column \(name): expected a number, found \(quote(String(text.prefix(40))))")
        }
        return number
    }
}
