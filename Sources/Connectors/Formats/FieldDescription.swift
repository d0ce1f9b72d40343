import Pipeline

/// What messages of a payload say under one key: for the reference, the schemas of recordings and error messages.
public struct FieldDescription: Sendable, Equatable {
    /// The key in messages, and the name of the column in tables.
    public let name: String

    /// What its value is.
    public let type: FieldType

    /// The unit of its numbers; `nil` for none.
    public let unit: String?

    /// Whether a message may leave it out.
    public let isOptional: Bool

    /// What it says, in a sentence.
    public let summary: String

    /// Describes a field.
    public init(_ name: String, _ type: FieldType, unit: String? = nil, isOptional: Bool, _ summary: String) {
        (self.name, self.type, self.unit, self.isOptional, self.summary) = (name, type, unit, isOptional, summary)
    }
}

/// What the value of a field is.
public enum FieldType: String, Sendable {
    case integer
    case number
    case text
    case boolean = "true or false"
    case numbers = "list of numbers"
    case list
    /// A text or an object.
    case textOrObject = "text or object"
    case any

    /// What may stand behind the key, as a JSON Schema.
    var jsonSchema: String {
        switch self {
        case .integer: "{\"type\":\"integer\"}"
        case .number: "{\"type\":\"number\"}"
        case .text: "{\"type\":\"string\"}"
        case .boolean: "{\"type\":\"boolean\"}"
        case .numbers: "{\"type\":\"array\",\"items\":{\"type\":\"number\"}}"
        case .list: "{\"type\":\"array\"}"
        case .textOrObject: "{\"type\":[\"string\",\"object\"]}"
        case .any: "true"
        }
    }
}
