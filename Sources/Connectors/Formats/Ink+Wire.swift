import Pipeline
import Stages

extension Ink: WirePayload {
    public static let summary = "Smoothed strokes with their widths"
    public static var _blank: Ink { Ink(points: []) }

    public static func _visit<V: FieldVisitor<Ink>>(_ fields: inout V) throws(V.Failure) {
        try fields.visit(
            WireKeys(.phase), required: [],
            write: { ink, json in if ink.pointee.phase != .whole { json.member(.phase, ink.pointee.phase.rawValue) } },
            read: { ink, message throws(PipelineError) in
                if message.present.contains(.phase) { ink.phase = try message.phase(Phase.self) }
            })
        try fields.visit(
            .stroke, { $1.member(.stroke, $0.pointee.stroke) },
            { $0.stroke = Int($1.value(.stroke, $1.stroke) ?? 0) })
        try fields.visit(
            .startUs, { $1.member(.startUs, $0.pointee.start) },
            { ink, message throws(PipelineError) in ink.start = try message.extent(.startUs, message.start) })
        try fields.visit(
            WireKeys(.fields, .strips, .mesh), required: [], write: { $0.pointee.writeRuns(into: &$1) },
            read: { ink, message throws(PipelineError) in try ink.takeRuns(of: &message) })
        try fields.visit(.label, { $1.member(.label, $0.pointee.label) }, { $0.label = $1.value(.label, $1.label) })
        try fields.visit(
            .subject, { $1.member(.subject, $0.pointee.subject) },
            { ink, message throws(PipelineError) in ink.subject = try message.person() })
    }

    private func writeRuns(into json: inout TextBuffer) {
        json.member(.fields, isTimed ? "xytw" : "xyw")
        json.list(.strips) { json in
            // A point is four doubles in memory: x, y, t, width.
            points.withUnsafeBytes { json.runs($0, counts, stride: 4, slots: isTimed ? [0, 1, 2, 3] : [0, 1, 3]) }
        }
        guard !mesh.isEmpty else { return }
        json.list(.mesh) { json in
            mesh.withUnsafeBytes { json.runs($0, meshCounts, stride: 2, slots: [0, 1]) }
        }
    }

    private mutating func takeRuns(of message: inout WireMessage) throws(PipelineError) {
        if phase == .whole { try message.require(.strips) }
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
            guard fields.contains(.w), !fields.contains(.z), !fields.contains(.p), !fields.contains(.unknown) else {
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

    public static func _write(rowsOf ink: Ink?, _ prefix: TextBuffer, into csv: inout TextBuffer) {
        for (number, range) in (ink?.strokeRanges ?? [0..<0]).enumerated() {
            // A phase without a point (the pen was lifted) is still a row.
            csv.rows(prefix, range.isEmpty ? nil : ink.map { Array($0.points[range]) }) { row, _, point in
                row.column("phase", ink?.phase.rawValue)
                row.column("stroke", ink.map { $0.stroke &+ number })
                row.column("x", point?.x)
                row.column("y", point?.y)
                row.column(
                    "sample_us",
                    ink.flatMap { ink in ink.isTimed ? point.map { Double(ink.start.rawValue) + $0.t } : nil })
                row.column("width", point?.width)
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
    /// Returns the number of tuples of `size` numbers in each list. Returns an empty array if there is at most one list.
    fileprivate mutating func runs(_ key: WireKey, _ lists: NumberRuns, of size: Int) throws(PipelineError) -> [Int] {
        for count in lists.counts where count % size != 0 {
            throw wrong(key, "decode.count", "\(count) numbers cannot be divided into points of \(size) numbers")
        }
        return lists.counts.count > 1 ? lists.counts.map { $0 / size } : []
    }
}

extension TextBuffer {
    /// Writes lists of tuples. `counts` has the number of tuples of each list; if it is empty, all tuples form one list.
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
    }
}
