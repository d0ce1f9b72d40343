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
    /// What its messages say beside what every message does.
    static var fields: [PayloadField<Self>] { get }

    /// One whose fields are read next.
    init()
}

/// A field of a payload: its name, the property that holds it, and what it means.
public struct PayloadField<Root>: Sendable {
    /// Everything about it that does not depend on the payload.
    public let description: FieldDescription

    let read: @Sendable (Root) -> FieldContent?
    let write: @Sendable (FieldContent, inout Root) -> Void

    /// Declares a field.
    ///
    /// - Parameters:
    ///   - name: The key in messages and the column in tables, in `snake_case`, with its unit where that is a time: `hold_ms`.
    ///   - property: Where the value is.
    ///   - unit: The unit of its numbers.
    ///   - summary: What it says, in a sentence.
    public init<Value: FieldValue>(
        _ name: String, _ property: any WritableKeyPath<Root, Value> & Sendable, unit: String? = nil, _ summary: String
    ) {
        description = FieldDescription(
            name, Value._type, unit: unit, isOptional: Value._isOptional, summary)
        read = { $0[keyPath: property]._content }
        write = { if let value = Value(_content: $0) { $1[keyPath: property] = value } }
    }
}

// What the codecs ask of every payload, out of the fields that are declared.
extension MessagePayload {
    public static var messageFields: [FieldDescription] { fields.map(\.description) }
    public static var _wireKeys: WireKeys { [] }
    public static func _declares(_ key: String) -> Bool { fields.contains { $0.description.name == key } }
    public static var _columns: String { fields.map(\.description.name).joined(separator: ",") }
    public static var _canBeMapped: Bool { true }

    public init(_ message: inout WireMessage) throws(PipelineError) { try self.init(message.declared) }

    public init?(_ message: FieldMessage) throws(PipelineError) { try self.init(message.declared) }

    init(_ declared: DeclaredFields) throws(PipelineError) {
        self.init()
        for (index, field) in Self.fields.enumerated() {
            if let content = declared.contents[index] {
                field.write(content, &self)
            } else if !field.description.isOptional {
                throw declared.missing(index)
            }
        }
    }

    public func _encode(into json: inout TextBuffer) {
        for field in Self.fields {
            guard let content = field.read(self) else { continue }
            json.literal(",")
            json.quoted(field.description.name)
            json.literal(":")
            json.json(content)
        }
    }

    public func _encodeRows(_ prefix: TextBuffer, into csv: inout TextBuffer) {
        prefix.withBytes { csv.plain($0) }
        for field in Self.fields {
            csv.literal(",")
            if let content = field.read(self) { csv.cell(content) }
        }
        csv.byte(0x0A)
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

    public static func _rows(_ table: TableSettings) -> RowParser<Self>? { FieldRows(table) }
}
