import Pipeline
import Stages

extension Stroke: WirePayload {
    public static let summary = "A finished gesture of one stroke or several"
    public static let _wireKeys = WireKeys(.startUs, .counts, .fields, .pts, .label, .subject)
    public static let _requiredKeys = WireKeys(.fields, .pts)

    public init(_ message: inout WireMessage) throws(PipelineError) {
        let (samples, fields) = try message.samples(isRequired: true)
        if message.present.contains(.subject), message.subject != nil {
            throw message.wrong(.subject, "decode.type", "expected a string, found an object")
        }
        self.init(
            samples: samples, counts: try message.strokeCounts(of: samples.count),
            start: try message.startTime(of: samples, fields), fields: fields,
            label: message.value(.label, message.label),
            subject: message.value(.subject, message.subjectName))
    }

    /// A stroke happened when it ended.
    public var _impliedTime: Timestamp? { end }

    public static func _rows(_ table: TableSettings) throws -> RowParser<Stroke>? {
        guard table.decode.row == .set else {
            return SampleRows(table, assembler: StrokeAssembler(table.origins, timeline: table.timeline))
        }
        return try SetRows(table, topology: nil) { row in
            Stroke(samples: row.points.map { Sample(x: $0.x, y: $0.y) }, start: row.time, fields: [], label: row.label)
        }
    }

    public var _encodingDefect: String? {
        // Strokes without samples can be written and read; only counts that name other samples cannot.
        var left = samples.count
        for count in counts {
            guard count >= 0, count <= left else { left = -1; break }
            left -= count
        }
        return counts.isEmpty || left == 0
            ? nil : "the counts of the strokes do not add up to its \(samples.count) samples"
    }

    public func _encode(into json: inout TextBuffer) {
        json.member(",\"start_us\":", start)
        if !counts.isEmpty {
            json.literal(",\"counts\":[")
            for (i, count) in counts.enumerated() {
                if i > 0 { json.byte(UInt8(ascii: ",")) }
                json.integer(Int64(count))
            }
            json.byte(UInt8(ascii: "]"))
        }
        json.samples(samples, fields)
        json.member(",\"label\":", label)
        json.member(",\"subject\":", subject)
    }

    public static let _columns = "stroke,x,y,sample_us,p,label,subject"

    public func _encodeRows(_ prefix: TextBuffer, into csv: inout TextBuffer) {
        for (number, range) in strokeRanges.enumerated() {
            for sample in samples[range] {
                csv.row(prefix) {
                    $0.column(number)
                    $0.column(sample, fields, start)
                    $0.column(label)
                    $0.column(subject)
                }
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
    /// The samples that `fields` and `pts` tell, with what is known of each.
    ///
    /// - Parameter isRequired: Whether the message must have them.
    func samples(isRequired: Bool) throws(PipelineError) -> ([Sample], SampleFields) {
        if !isRequired, !present.contains(.pts) { return ([], []) }
        try require(.pts)
        try require(.fields)
        let slots = fields.slots
        guard !fields.contains(.z), !fields.contains(.w) else {
            throw wrong(.fields, "decode.fields", "a sample has x, y, t and p, no z or w")
        }
        guard numbers.count % slots.count == 0 else {
            throw wrong(
                .pts, "decode.count", "\(numbers.count) numbers are no whole number of points of \(slots.count) fields")
        }
        var known: SampleFields = []
        if fields.contains(.t) { known.insert(.time) }
        if fields.contains(.p) { known.insert(.pressure) }
        let (x, y, t, p) = (fields.place(.x), fields.place(.y), fields.place(.t), fields.place(.p))
        let width = slots.count
        let count = numbers.count / width
        let samples = numbers.withUnsafeBufferPointer { numbers in
            [Sample](unsafeUninitializedCapacity: count) { buffer, filled in
                guard let out = buffer.baseAddress else { return }
                for i in 0..<count {
                    let at = i * width
                    let sample = Sample(
                        x: numbers[at + x], y: numbers[at + y], t: t < 0 ? 0 : numbers[at + t],
                        p: p < 0 ? 0 : numbers[at + p])
                    (out + i).initialize(to: sample)
                }
                filled = count
            }
        }
        return (samples, known)
    }

    /// When the samples' times begin: `start_us`, or what `t_us` and the last sample's time make it.
    func startTime(of samples: [Sample], _ fields: SampleFields) throws(PipelineError) -> Timestamp {
        if present.contains(.startUs) {
            guard Timestamp(rawValue: start).isValid else {
                throw wrong(.startUs, "decode.range", "a time lies between 0 and 2^53 − 1 µs")
            }
            return Timestamp(rawValue: start)
        }
        guard present.contains(.tUs) else { return .zero }
        let length = fields.contains(.time) ? (samples.last?.t ?? 0) : 0
        let begin = Timestamp(rawValue: time).advanced(byMilliseconds: -length / 1000)
        return begin.isValid ? begin : .zero
    }

    /// How many samples each stroke has, checked against how many there are.
    func strokeCounts(of total: Int) throws(PipelineError) -> [Int] {
        guard present.contains(.counts) else { return [] }
        var result: [Int] = []
        result.reserveCapacity(counts.count)
        var sum = 0
        for count in counts {
            guard let whole = Int(exactly: count), whole >= 0, whole <= total - sum else {
                throw wrong(.counts, "decode.count", "the counts do not sum to the \(total) points there are")
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
    /// Writes samples as `fields` and `pts`, with the fields that are known.
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
            // A sample is four doubles in a row: x, y, t, p.
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
