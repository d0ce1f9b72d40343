import Pipeline
import Stages

/// Creates gestures from the samples of a table.
///
/// A gesture ends where the gesture cell, the stream or the label changes, so its rows must follow one another. With a gesture
/// column, a row without a label has the label of its gesture. Without one, a gesture also ends where the stroke cell changes.
/// Without any of these columns, a file is one gesture. Such gestures, and gestures without times, are placed one after another
/// in time, like gesture files. A gesture with an unreadable row is lost.
// Belongs to one source, which calls it from one thread at a time.
final class StrokeAssembler: RowAssembler<Stroke>, @unchecked Sendable {
    private let origins: FileOrigins
    private let timeline: GestureTimeline.Shared
    private var stroke = Stroke(samples: [])
    private var counts: [Int] = []
    private var first: TableSample?
    private var strokeCell: ArraySlice<UInt8> = []
    private var start: Int64 = 0
    /// Whether a row of the current gesture could not be read.
    private var isLost = false
    /// Whether a time of this file went back and was raised.
    private var hasRaised = false
    /// The first row of the last gesture of each stream after which rows of another stream followed.
    private var interrupted = RecentStreams<TableSample>()
    /// Whether rows of other streams are between those of a gesture of this file.
    private var isScattered = false
    private var counters = StreamCounters()

    /// Creates an assembler for the gestures of a file.
    init(_ origins: FileOrigins, timeline: GestureTimeline.Shared) {
        self.origins = origins
        self.timeline = timeline
    }

    override var current: TableSample? { first }

    override func skip(_ row: TableSample, into frames: inout [Frame<Stroke>]) -> Bool {
        enter(row, into: &frames)
        defer { isLost = true }
        return !isLost
    }

    override func add(_ row: TableSample, into frames: inout [Frame<Stroke>]) throws(PipelineError) {
        enter(row, into: &frames)
        guard !isLost else { return }
        guard row.hasPressure == stroke.fields.contains(.pressure) else {
            throw .frame(
                "decode.missing", "only some rows of the gesture have a pressure",
                help: "fill in the column of pressures, or leave it out of columns")
        }
        if row.stroke != strokeCell {
            counts.append(0)
            strokeCell = row.stroke
        }
        var sample = row.sample
        sample.t = row.time.map { Double($0 - start) } ?? 0
        if let last = stroke.samples.last?.t, sample.t < last {
            // A time that goes back is replaced by the time of the previous sample.
            sample.t = last
            if !hasRaised { timeline.noteRaisedFile(origins.file) }
            hasRaised = true
        }
        stroke.samples.append(sample)
        counts[counts.count - 1] += 1
    }

    override func add(_ frame: WrittenFrame, into frames: inout [Frame<Stroke>]) {
        var stroke = Stroke(
            samples: frame.samples, start: frame.start, fields: frame.fields, label: frame.label, subject: frame.subject
        )
        if frame.counts.count > 1 { stroke.counts = frame.counts.sorted { $0.key < $1.key }.map(\.value) }
        frames.append(
            Frame(
                stroke, at: frame.timestamp, stream: frame.stream, sequence: frame.sequence,
                origin: origins.origin(line: frame.line)))
    }

    /// Ends the current gesture if the row belongs to another, and begins that gesture with the row.
    private func enter(_ row: TableSample, into frames: inout [Frame<Stroke>]) {
        if let first, !belongs(row, with: first) {
            if row.stream != first.stream { noteChange(from: first, to: row) }
            finish(into: &frames)
        }
        if first == nil {
            first = row
            start = row.time ?? 0
            counts = [0]
            strokeCell = row.stroke
            stroke = Stroke(samples: [], start: .microseconds(start), fields: [], label: row.label)
            if row.time != nil { stroke.fields.insert(.time) }
            if row.hasPressure { stroke.fields.insert(.pressure) }
        }
        if stroke.label == nil, let label = row.label {
            first?.label = label
            stroke.label = label
        }
    }

    private func noteChange(from last: TableSample, to row: TableSample) {
        guard !isScattered else { return }
        interrupted.update(last.stream, last)
        guard let before = interrupted[row.stream], belongs(row, with: before) else { return }
        isScattered = true
        timeline.noteScatteredFile(origins.file)
    }

    private func belongs(_ row: TableSample, with other: TableSample) -> Bool {
        guard row.stream == other.stream, row.gesture == other.gesture else { return false }
        if row.hasGesture, row.label == nil || other.label == nil { return true }
        return row.label == other.label && (row.hasGesture || row.stroke == other.stroke)
    }

    override func finish(into frames: inout [Frame<Stroke>]) {
        guard let row = first else { return }
        first = nil
        guard !isLost else { return isLost = false }
        if counts.count > 1 { stroke.counts = counts }
        // A gesture keeps the times of its file only if it shares the file's clock with other gestures.
        let number = row.isGrouped && row.time != nil ? nil : timeline.place(&stroke, of: row.stream)
        let sequence = row.isGrouped ? counters.next(of: row.stream) : number ?? 0
        frames.append(
            Frame(
                stroke, at: stroke.end, stream: row.stream, sequence: sequence,
                origin: origins.origin(line: row.line) ?? (row.isGrouped ? nil : Origin(file: origins.file))))
    }
}

/// Creates pieces of strokes from the samples of a table, one for each row.
///
/// With a stroke column, the first row of each stroke begins it and the last row ends it. Without one, every row is a move.
// Belongs to one source, which calls it from one thread at a time.
final class PointsAssembler: RowAssembler<Points>, @unchecked Sendable {
    private let origins: FileOrigins
    private var last: TableSample?
    /// Whether `last` could not be read. Its frame is then missing, but it can begin or end a stroke.
    private var isLost = false
    private var isFirstOfStroke = true
    private var number = 0
    private var counters = StreamCounters()

    /// Creates an assembler for the pieces of strokes of a file.
    init(_ origins: FileOrigins) { self.origins = origins }

    override func add(_ row: TableSample, into frames: inout [Frame<Points>]) throws(PipelineError) {
        if let last { emit(last, next: row, into: &frames) }
        (last, isLost) = (row, false)
    }

    override var current: TableSample? { last }

    override func skip(_ row: TableSample, into frames: inout [Frame<Points>]) -> Bool {
        if let last { emit(last, next: row, into: &frames) }
        (last, isLost) = (row, true)
        return true
    }

    override func finish(into frames: inout [Frame<Points>]) {
        if let last { emit(last, next: nil, into: &frames) }
        last = nil
    }

    override func add(_ frame: WrittenFrame, into frames: inout [Frame<Points>]) {
        let phase = frame.phase.flatMap { Points.Phase(rawValue: $0) } ?? .move
        frames.append(
            Frame(
                Points(
                    phase: phase, stroke: frame.counts.keys.first ?? 0, samples: frame.samples, start: frame.start,
                    fields: frame.fields), at: frame.timestamp, stream: frame.stream, sequence: frame.sequence,
                origin: origins.origin(line: frame.line)))
    }

    private func emit(_ row: TableSample, next: TableSample?, into frames: inout [Frame<Points>]) {
        let time = Timestamp(rawValue: row.time ?? 0)
        var fields: SampleFields = []
        if row.time != nil { fields.insert(.time) }
        if row.hasPressure { fields.insert(.pressure) }
        let isLast = next.map { $0.stroke != row.stroke || $0.stream != row.stream } ?? true
        let origin = origins.origin(line: row.line)
        func append(_ phase: Points.Phase, _ samples: [Sample], at time: Timestamp) {
            guard !isLost else { return }
            frames.append(
                Frame(
                    Points(phase: phase, stroke: number, samples: samples, start: time, fields: fields), at: time,
                    stream: row.stream, sequence: counters.next(of: row.stream), origin: origin))
        }
        guard !row.stroke.isEmpty else { return append(.move, [row.sample], at: time) }
        if isFirstOfStroke {
            append(.begin, [row.sample], at: time)
            // A stroke of one sample also needs an end, which follows immediately.
            if isLast { append(.end, [], at: time.advanced(byMicroseconds: 1)) }
        } else {
            append(isLast ? .end : .move, [row.sample], at: time)
        }
        isFirstOfStroke = isLast
        if isLast { number += 1 }
    }
}
