import Pipeline
import Stages

extension Points: WirePayload {
    public static let summary = "A piece of a stroke as it is drawn"
    public static let _wireKeys = WireKeys(.phase, .stroke, .startUs, .fields, .pts)
    public static let _requiredKeys = WireKeys(.phase)

    public init(_ message: inout WireMessage) throws(PipelineError) {
        try message.require(.phase)
        guard let phase = Phase(rawValue: message.phase) else {
            let known = Phase.allCases.map(\.rawValue).joined(separator: ", ")
            throw message.wrong(.phase, "decode.phase", "expected one of \(known), found \"\(message.phase)\"")
        }
        let (samples, fields) = try message.samples(isRequired: false)
        self.init(
            phase: phase, stroke: Int(message.value(.stroke, message.stroke) ?? 0), samples: samples,
            start: try message.startTime(of: samples, fields), fields: fields)
    }

    public static func _rows(_ table: TableSettings) -> RowParser<Points>? {
        table.decode.row == .set ? nil : SampleRows(table, assembler: PointsAssembler(table.origins))
    }

    public func _encode(into json: inout TextBuffer) {
        json.literal(",\"phase\":\"")
        json.plain(phase.rawValue)
        json.member("\",\"stroke\":", stroke)
        json.member(",\"start_us\":", start)
        json.samples(samples, fields)
    }

    public static let _columns = "phase,stroke,x,y,sample_us,p"

    public func _encodeRows(_ prefix: TextBuffer, into csv: inout TextBuffer) {
        // A phase without a sample (the pen went up) is still a row.
        for sample in samples.isEmpty ? [nil] : samples.map(Optional.some) {
            csv.row(prefix) {
                $0.column(phase.rawValue)
                $0.column(stroke)
                $0.column(sample, fields, start)
            }
        }
    }

    public func _summarize(into text: inout TextBuffer) {
        text.plain(phase.rawValue)
        text.plain(samples.count == 1 ? ", 1 sample" : ", \(samples.count) samples")
    }
}
