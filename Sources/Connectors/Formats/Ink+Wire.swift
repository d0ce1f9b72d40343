import Pipeline
import Stages

extension Ink: WirePayload {
    public static let summary = "Smoothed strokes with their widths"
    public static let _wireKeys = WireKeys(.phase, .stroke, .startUs, .fields, .strips, .mesh, .label, .subject)

    public init(_ message: inout WireMessage) throws(PipelineError) {
        let phase = try message.inkPhase()
        if message.present.contains(.subject), message.subject != nil {
            throw message.wrong(.subject, "decode.type", "expected a string, found an object")
        }
        if phase == .whole { try message.require(.strips) }
        self.init(
            phase: phase, stroke: Int(message.value(.stroke, message.stroke) ?? 0), points: [],
            start: Timestamp(
                rawValue: message.value(.startUs, message.start) ?? message.value(.tUs, message.time) ?? 0),
            label: message.value(.label, message.label), subject: message.value(.subject, message.subjectName))
        guard start.isValid else {
            throw message.wrong(.startUs, "decode.range", "a time lies between 0 and 2^53 − 1 µs")
        }
        if message.present.contains(.strips) { try takeStrips(&message) }
        guard message.present.contains(.mesh) else { return }
        meshCounts = try message.runs(.mesh, message.mesh, of: 2)
        mesh = stride(from: 0, to: message.mesh.numbers.count, by: 2).map {
            Vertex(x: message.mesh.numbers[$0], y: message.mesh.numbers[$0 + 1])
        }
    }

    private mutating func takeStrips(_ message: inout WireMessage) throws(PipelineError) {
        var (x, y, t, w, size) = (0, 1, -1, 2, 3)
        if message.present.contains(.fields) {
            let fields = message.fields
            guard fields.contains(.w), !fields.contains(.z), !fields.contains(.p) else {
                throw message.wrong(
                    .fields, "decode.fields", "a point of ink has x, y and w (width), and t if it is known")
            }
            (x, y, t, w) = (fields.place(.x), fields.place(.y), fields.place(.t), fields.place(.w))
            size = fields.slots.count
        }
        counts = try message.runs(.strips, message.strips, of: size)
        isTimed = t >= 0
        let numbers = message.strips.numbers
        points = stride(from: 0, to: numbers.count, by: size).map { at in
            Point(x: numbers[at + x], y: numbers[at + y], t: t < 0 ? 0 : numbers[at + t], width: numbers[at + w])
        }
    }

    public var _encodingDefect: String? { countsDefect }

    public func _encode(into json: inout TextBuffer) {
        if phase != .whole {
            json.literal(",\"phase\":\"")
            json.plain(phase.rawValue)
            json.byte(UInt8(ascii: "\""))
        }
        json.member(",\"stroke\":", stroke)
        json.member(",\"start_us\":", start)
        if isTimed {
            json.literal(",\"fields\":\"xytw\",\"strips\":[")
        } else {
            json.literal(",\"fields\":\"xyw\",\"strips\":[")
        }
        points.withUnsafeBytes { bytes in
            // A point is four doubles in a row: x, y, t, width.
            json.runs(bytes, counts, stride: 4, slots: isTimed ? [0, 1, 2, 3] : [0, 1, 3])
        }
        if !mesh.isEmpty {
            json.literal(",\"mesh\":[")
            mesh.withUnsafeBytes { json.runs($0, meshCounts, stride: 2, slots: [0, 1]) }
        }
        json.member(",\"label\":", label)
        json.member(",\"subject\":", subject)
    }

    public static let _columns = "phase,stroke,x,y,sample_us,width"

    public func _encodeRows(_ prefix: TextBuffer, into csv: inout TextBuffer) {
        for (number, range) in strokeRanges.enumerated() {
            // A phase without a point (the pen went up) is still a row.
            for point in range.isEmpty ? [nil] : points[range].map(Optional.some) {
                csv.row(prefix) {
                    $0.column(phase.rawValue)
                    $0.column(stroke &+ number)
                    $0.column(point?.x)
                    $0.column(point?.y)
                    $0.column(isTimed ? point.map { Double(start.rawValue) + $0.t } : nil)
                    $0.column(point?.width)
                }
            }
        }
    }

    public func _summarize(into text: inout TextBuffer) {
        text.plain("\(phase.rawValue), ")
        text.plain(points.count == 1 ? "1 point" : "\(points.count) points")
        if counts.count > 1 { text.plain(", \(counts.count) strokes") }
        if !mesh.isEmpty { text.plain(", \(mesh.count) corners") }
        if let label { text.plain(", \(label.shown)") }
    }
}

extension WireMessage {
    fileprivate func inkPhase() throws(PipelineError) -> Ink.Phase {
        guard present.contains(.phase) else { return .whole }
        guard let phase = Ink.Phase(rawValue: phase) else {
            let known = Ink.Phase.allCases.map(\.rawValue).joined(separator: ", ")
            throw wrong(.phase, "decode.phase", "expected one of \(known), found \"\(self.phase)\"")
        }
        return phase
    }

    /// How many tuples of `size` numbers each list has; empty when there is one list or none.
    fileprivate func runs(_ key: WireKey, _ lists: NumberRuns, of size: Int) throws(PipelineError) -> [Int] {
        for count in lists.counts where count % size != 0 {
            throw wrong(key, "decode.count", "\(count) numbers are no whole number of points of \(size) numbers")
        }
        return lists.counts.count > 1 ? lists.counts.map { $0 / size } : []
    }
}

extension TextBuffer {
    /// Writes lists of tuples, as many in each list as `counts` says; one list when that is empty.
    fileprivate mutating func runs(_ bytes: UnsafeRawBufferPointer, _ counts: [Int], stride: Int, slots: [UInt8]) {
        bytes.withMemoryRebound(to: Double.self) { numbers in
            var begin = 0
            let total = numbers.count / stride
            for (i, count) in (counts.isEmpty && total > 0 ? [total] : counts).enumerated() {
                if i > 0 { byte(UInt8(ascii: ",")) }
                byte(UInt8(ascii: "["))
                if let base = numbers.baseAddress {
                    tuples(base + begin * stride, count: count, stride: stride, slots: slots)
                }
                byte(UInt8(ascii: "]"))
                begin += count
            }
        }
        byte(UInt8(ascii: "]"))
    }
}
