import Pipeline
import Stages

extension Stroke: WirePayload {
    public static let summary = "A finished gesture of one stroke or several"
    public static var _blank: Stroke { Stroke(samples: []) }

    public static func _visit<V: FieldVisitor<Stroke>>(_ fields: inout V) throws(V.Failure) {
        try fields.visit(
            WireKeys(.startUs, .counts, .fields, .pts), required: WireKeys(.fields, .pts),
            write: { stroke, json in
                json.member(.startUs, stroke.pointee.start)
                if !stroke.pointee.counts.isEmpty { json.list(.counts) { $0.counts(stroke.pointee.counts) } }
                json.samples(stroke.pointee.samples, stroke.pointee.fields)
            },
            read: { stroke, message throws(PipelineError) in
                (stroke.samples, stroke.fields) = try message.samples(isRequired: true)
                stroke.counts = try message.strokeCounts(of: stroke.samples.count)
                stroke.start = try message.startTime(of: stroke.samples, stroke.fields)
            })
        try fields.visit(.label, { $1.member(.label, $0.pointee.label) }, { $0.label = $1.value(.label, $1.label) })
        try fields.visit(
            .subject, { $1.member(.subject, $0.pointee.subject) },
            { stroke, message throws(PipelineError) in stroke.subject = try message.person() })
    }

    /// The time of a stroke is the time at which it ended.
    public var _impliedTime: Timestamp? { end }

    public static func _parser(_ table: TableSettings) throws -> RowParser<Stroke>? {
        guard table.decode.row == .set else {
            return SampleRows(table, assembler: StrokeAssembler(table.origins, timeline: table.timeline))
        }
        return try SetRows(table, topology: nil) { row in
            Stroke(samples: row.points.map { Sample(x: $0.x, y: $0.y) }, start: row.time, fields: [], label: row.label)
        }
    }

    public var _encodingDefect: String? {
        // A reader accepts a gesture with empty strokes. It rejects counts that do not sum to the number of samples.
        var left = samples.count
        for count in counts {
            guard count >= 0, count <= left else { left = -1; break }
            left -= count
        }
        return counts.isEmpty || left == 0
            ? nil : "the counts of the strokes do not add up to \(samples.count), the number of samples"
    }

    public static func _write(rowsOf stroke: Stroke?, _ prefix: TextBuffer, into csv: inout TextBuffer) {
        for (number, range) in (stroke?.strokeRanges ?? [0..<0]).enumerated() {
            // A stroke without samples is still a row.
            csv.rows(prefix, stroke.flatMap { range.isEmpty ? nil : Array($0.samples[range]) }) { row, _, sample in
                row.column("stroke", number)
                row.columns(sample, stroke?.fields ?? [], stroke?.start ?? .zero)
                row.column("label", stroke?.label)
                row.column("subject", stroke?.subject)
            }
        }
    }

    public func _summarize(into text: inout TextBuffer) {
        text.plain(samples.count == 1 ? "1 sample" : "\(samples.count) samples")
        if counts.count > 1 { text.plain(", \(counts.count) strokes") }
        if let label { text.plain(", \(label.shown)") }
    }
}

extension WireMessage {
    /// Returns the name of the person who drew the gesture.
    mutating func person() throws(PipelineError) -> String? {
        if present.contains(.subject), subject != nil {
            throw wrong(.subject, "decode.type", "expected a string, found an object")
        }
        return value(.subject, subjectName)
    }

    /// Returns the phase of a piece of a stroke. Throws a frame error if the word is unknown.
    mutating func phase<Phase: CaseIterable & RawRepresentable<String>>(_: Phase.Type) throws(PipelineError) -> Phase {
        guard let known = Phase(rawValue: phase) else {
            let names = Phase.allCases.map(\.rawValue).joined(separator: ", ")
            throw wrong(.phase, "decode.phase", "expected one of \(names), found \"\(phase)\"")
        }
        return known
    }

    /// Returns the samples in `fields` and `pts`, and the fields that every sample has.
    ///
    /// - Parameter isRequired: Whether the message must have samples.
    mutating func samples(isRequired: Bool) throws(PipelineError) -> ([Sample], SampleFields) {
        if !isRequired, !present.contains(.pts) { return ([], []) }
        try require(.pts)
        try require(.fields)
        let slots = fields.slots
        guard !fields.contains(.z), !fields.contains(.w), !fields.contains(.unknown) else {
            throw wrong(.fields, "decode.fields", "the letters of a sample are x, y, t and p")
        }
        guard numbers.count % slots.count == 0 else {
            throw wrong(
                .pts, "decode.count", "\(numbers.count) numbers cannot be divided into points of \(slots.count) fields")
        }
        var known: SampleFields = []
        if fields.contains(.t) { known.insert(.time) }
        if fields.contains(.p) { known.insert(.pressure) }
        return (reusedSamples.samples(from: numbers, fields.layout), known)
    }

    /// Returns the time to which the samples' times are relative: `start_us`, or else `t_us` minus the time of the last sample.
    mutating func startTime(of samples: [Sample], _ fields: SampleFields) throws(PipelineError) -> Timestamp {
        if present.contains(.startUs) { return try valid(.startUs, start) }
        guard present.contains(.tUs) else { return .zero }
        let length = fields.contains(.time) ? (samples.last?.t ?? 0) : 0
        let begin = Timestamp(rawValue: time).advanced(byMilliseconds: -length / 1000)
        return begin.isValid ? begin : .zero
    }

    /// Returns the number of samples of each stroke. Throws a frame error if they do not sum to `total`.
    mutating func strokeCounts(of total: Int) throws(PipelineError) -> [Int] {
        guard present.contains(.counts) else { return [] }
        var result: [Int] = []
        result.reserveCapacity(counts.count)
        var sum = 0
        for count in counts {
            guard let whole = Int(exactly: count), whole >= 0, whole <= total - sum else {
                throw wrong(.counts, "decode.count", "the counts do not sum to \(total), the number of points")
            }
            result.append(whole)
            sum += whole
        }
        guard sum == total else {
            throw wrong(.counts, "decode.count", "the counts sum to \(sum), but there are \(total) points")
        }
        return result
    }
}

extension TextBuffer {
    /// Writes whole numbers with commas between them.
    fileprivate mutating func counts(_ counts: [Int]) {
        for (i, count) in counts.enumerated() {
            if i > 0 { byte(UInt8(ascii: ",")) }
            integer(Int64(count))
        }
    }

    /// Writes samples as `fields` and `pts`, with the given fields.
    mutating func samples(_ samples: [Sample], _ fields: SampleFields) {
        let slots: [UInt8]
        switch (fields.contains(.time), fields.contains(.pressure)) {
        case (false, false):
            literal(",\"fields\":\"xy\",\"pts\":[")
            slots = SampleSlots.xy
        case (true, false):
            literal(",\"fields\":\"xyt\",\"pts\":[")
            slots = SampleSlots.xyt
        case (false, true):
            literal(",\"fields\":\"xyp\",\"pts\":[")
            slots = SampleSlots.xyp
        case (true, true):
            literal(",\"fields\":\"xytp\",\"pts\":[")
            slots = SampleSlots.xytp
        }
        samples.withUnsafeBytes { bytes in
            // A sample is four doubles in memory: x, y, t, p.
            bytes.withMemoryRebound(to: Double.self) { numbers in
                guard let base = numbers.baseAddress else { return }
                tuples(base, count: samples.count, stride: 4, slots: slots)
            }
        }
        byte(UInt8(ascii: "]"))
    }
}

private enum SampleSlots {
    static let xy: [UInt8] = [0, 1]
    static let xyt: [UInt8] = [0, 1, 2]
    static let xyp: [UInt8] = [0, 1, 3]
    static let xytp: [UInt8] = [0, 1, 2, 3]
}
