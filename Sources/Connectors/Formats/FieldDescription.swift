import Pipeline

/// The description of one field in the messages of a payload. The reference documentation, the schemas of recordings, and error
/// messages are made from it.
public struct FieldDescription: Sendable, Equatable {
    /// The key in messages, and the name of the column in tables.
    public let name: String

    /// The type of the value.
    public let type: FieldType

    /// The unit of the numbers; `nil` for none.
    public let unit: String?

    /// Whether a message can omit the field.
    public let isOptional: Bool

    /// The meaning of the field, in one sentence.
    public let summary: String

    /// Creates the description of a field.
    public init(_ name: String, _ type: FieldType, unit: String? = nil, isOptional: Bool, _ summary: String) {
        (self.name, self.type, self.unit, self.isOptional, self.summary) = (name, type, unit, isOptional, summary)
    }
}

/// The type of a field's value.
public enum FieldType: String, Sendable {
    case integer
    case number
    case text
    case boolean = "true or false"
    case numbers = "list of numbers"
    case list
    case object
    case any

    /// The JSON Schema of the value.
    var jsonSchema: String {
        switch self {
        case .integer: "{\"type\":\"integer\"}"
        case .number: "{\"type\":\"number\"}"
        case .text: "{\"type\":\"string\"}"
        case .boolean: "{\"type\":\"boolean\"}"
        case .numbers: "{\"type\":\"array\",\"items\":{\"type\":\"number\"}}"
        case .list: "{\"type\":\"array\"}"
        case .object: "{\"type\":\"object\"}"
        case .any: "true"
        }
    }
}
