import Pipeline

/// A custom payload that sources can read and sinks can write, in every format.
///
/// ```swift
/// public struct Length: MessagePayload {
///     public static let kind: Kind = "length"
///     public static let summary = "The length of a stroke"
///     public static let fields = [
///         PayloadField("value", \Length.value, unit: "px", "The distance that the pen travels."),
///         PayloadField("label", \.label, "The intended gesture."),
///     ]
///
///     public var value = 0.0
///     public var label: String?
///
///     public init() {}
/// }
/// ```
///
/// The type declares its fields once. A message can omit a field whose property is optional. After
/// `registry.add(payload: Length.self)`, sources accept `kind: length`, and every sink and every command supports the payload.
/// Declare `fields` with `let`: a computed property would create the array for each frame.
public protocol MessagePayload: WirePayload {
    /// The fields of a message, in addition to the keys that every message has.
    static var fields: [PayloadField<Self>] { get }

    /// Creates a payload whose fields are then set from a message.
    init()
}

// Implements the requirements of the decoders and encoders with the declared fields.
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
