import Pipeline

/// A payload of your own that sources read and sinks write, in every format.
///
/// ```swift
/// public struct Length: MessagePayload {
///     public static let kind: Kind = "length"
///     public static let summary = "How long a stroke is"
///     public static let fields = [
///         PayloadField("value", \Length.value, unit: "px", "The way of the pen."),
///         PayloadField("label", \.label, "What the stroke is meant to be."),
///     ]
///
///     public var value = 0.0
///     public var label: String?
///
///     public init() {}
/// }
/// ```
///
/// Its fields are declared once; an optional one may be missing. After `registry.add(payload: Length.self)` sources take
/// `kind: length`, and every sink and verb knows it. `fields` is a `let`, so that it is made once and not for every frame.
public protocol MessagePayload: WirePayload {
    /// What its messages say in addition to the keys of every frame.
    static var fields: [PayloadField<Self>] { get }

    /// One whose fields are read next.
    init()
}

// What the codecs ask of every payload, out of the fields that are declared.
extension MessagePayload {
    public static var _blank: Self { Self() }

    public static func _visit<V: FieldVisitor<Self>>(_ fields: inout V) throws(V.Failure) {
        for (index, field) in Self.fields.enumerated() { try fields.visit(field, index) }
    }

    public static var _mapping: (@Sendable (inout FieldMessage) throws(PipelineError) -> Self?)? {
        { message throws(PipelineError) in try _read(&message.wire) }
    }

    public static func _write(rowsOf payload: Self?, _ prefix: TextBuffer, into csv: inout TextBuffer) {
        csv.row(prefix) { row in
            for field in fields { row.column(field.description.name, payload.flatMap(field.read)) }
        }
    }

    public func _summarize(into text: inout TextBuffer) {
        var isFirst = true
        for field in Self.fields {
            guard let content = field.read(self) else { continue }
            if !isFirst { text.literal(", ") }
            isFirst = false
            text.plain("\(field.description.name) ")
            switch content {
            case .text(let value): text.plain(value.shown)
            case .numbers(let values): text.plain(values.count == 1 ? "1 number" : "\(values.count) numbers")
            default: text.json(content)
            }
            if let unit = field.description.unit { text.plain(" \(unit)") }
        }
    }

    public static func _parser(_ table: TableSettings) -> RowParser<Self>? { FieldRows(table) }
}
