import Pipeline
import Stages

extension Points: WirePayload {
    public static let summary = "A piece of a stroke as it is drawn"
    public static var _blank: Points { Points(phase: .move, samples: []) }

    public static func _visit<V: FieldVisitor<Points>>(_ fields: inout V) throws(V.Failure) {
        try fields.visit(
            WireKeys(.phase), required: WireKeys(.phase),
            write: { points, json in json.member(.phase, points.pointee.phase.rawValue) },
            read: { points, message throws(PipelineError) in
                try message.require(.phase)
                points.phase = try message.phase(Phase.self)
            })
        try fields.visit(
            .stroke, { $1.member(.stroke, $0.pointee.stroke) },
            { $0.stroke = Int($1.value(.stroke, $1.stroke) ?? 0) })
        try fields.visit(
            WireKeys(.startUs, .fields, .pts), required: [],
            write: { points, json in
                json.member(.startUs, points.pointee.start)
                json.samples(points.pointee.samples, points.pointee.fields)
            },
            read: { points, message throws(PipelineError) in
                (points.samples, points.fields) = try message.samples(isRequired: false)
                points.start = try message.startTime(of: points.samples, points.fields)
            })
    }

    public static func _parser(_ table: TableSettings) -> RowParser<Points>? {
        table.decode.row == .set ? nil : SampleRows(table, assembler: PointsAssembler(table.origins))
    }

    public static func _write(rowsOf points: Points?, _ prefix: TextBuffer, into csv: inout TextBuffer) {
        // A phase without a sample (the pen was lifted) is still a row.
        let samples = points.flatMap { $0.samples.isEmpty ? nil : $0.samples }
        csv.rows(prefix, samples) { row, _, sample in
            row.column("phase", points?.phase.rawValue)
            row.column("stroke", points?.stroke)
            row.columns(sample, points?.fields ?? [], points?.start ?? .zero)
        }
    }

    public func _summarize(into text: inout TextBuffer) {
        text.plain(phase.rawValue)
        text.plain(samples.count == 1 ? ", 1 sample" : ", \(samples.count) samples")
    }
}
