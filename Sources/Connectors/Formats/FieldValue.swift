import Pipeline

/// A type that a field of a payload can have: `Int`, `Double`, `String`, `Bool`, `[Double]`, or an optional of these for a field
/// that a message can omit.
///
/// Only these types conform. The requirements are for the decoders and encoders of this module.
public protocol FieldValue: Sendable {
    /// The type of the value in messages.
    static var _type: FieldType { get }

    /// Whether a message can omit the value.
    static var _isOptional: Bool { get }

    /// Creates a value from the content of a field. Returns `nil` if the content has another type.
    init?(_content content: FieldContent)

    /// The content to write; `nil` if the value is missing.
    var _content: FieldContent? { get }
}

/// The value of a field as it is read and written.
public enum FieldContent: Sendable, Equatable {
    case integer(Int64)
    case number(Double)
    case text(String)
    case boolean(Bool)
    case numbers([Double])
}

extension FieldValue {
    public static var _isOptional: Bool { false }
}

extension Int: FieldValue {
    public static var _type: FieldType { .integer }
    public var _content: FieldContent? { .integer(Int64(self)) }

    public init?(_content content: FieldContent) {
        guard case .integer(let value) = content else { return nil }
        self = Int(value)
    }
}

extension Double: FieldValue {
    public static var _type: FieldType { .number }
    public var _content: FieldContent? { .number(self) }

    public init?(_content content: FieldContent) {
        guard case .number(let value) = content else { return nil }
        self = value
    }
}

extension String: FieldValue {
    public static var _type: FieldType { .text }
    public var _content: FieldContent? { .text(self) }

    public init?(_content content: FieldContent) {
        guard case .text(let value) = content else { return nil }
        self = value
    }
}

extension Bool: FieldValue {
    public static var _type: FieldType { .boolean }
    public var _content: FieldContent? { .boolean(self) }

    public init?(_content content: FieldContent) {
        guard case .boolean(let value) = content else { return nil }
        self = value
    }
}

extension [Double]: FieldValue {
    public static var _type: FieldType { .numbers }
    public var _content: FieldContent? { .numbers(self) }

    public init?(_content content: FieldContent) {
        guard case .numbers(let value) = content else { return nil }
        self = value
    }
}

extension Optional: FieldValue where Wrapped: FieldValue {
    public static var _type: FieldType { Wrapped._type }
    public static var _isOptional: Bool { true }
    public var _content: FieldContent? { flatMap(\._content) }

    public init?(_content content: FieldContent) {
        guard let value = Wrapped(_content: content) else { return nil }
        self = value
    }
}

extension FieldContent {
    /// Reads the current value of a document, which must have the given type. O(numbers).
    init<Reader: DocumentReader>(_ type: FieldType, _ document: Reader) throws(PipelineError) {
        switch type {
        case .integer: self = .integer(try document.integer())
        case .number: self = .number(try document.number())
        case .text: self = .text(try document.string())
        case .boolean: self = .boolean(try document.boolean())
        default:
            var numbers: [Double] = []
            try document.numbers(into: &numbers)
            self = .numbers(numbers)
        }
    }

    /// Parses a cell of a table. Returns `nil` if the cell does not contain a value of the given type. The numbers of a list are
    /// separated by blanks.
    init?(_ type: FieldType, cell: ArraySlice<UInt8>) {
        switch type {
        case .integer:
            guard let value = Int64(String(decoding: cell, as: UTF8.self)) else { return nil }
            self = .integer(value)
        case .number:
            guard let value = Connectors.number(in: cell) else { return nil }
            self = .number(value)
        case .text: self = .text(String(decoding: cell, as: UTF8.self))
        case .boolean:
            guard cell.elementsEqual("true".utf8) || cell.elementsEqual("false".utf8) else { return nil }
            self = .boolean(cell.count == 4)
        default:
            let numbers = cell.split(separator: 0x20).map { Connectors.number(in: $0) }
            guard numbers.allSatisfy({ $0 != nil }) else { return nil }
            self = .numbers(numbers.compactMap { $0 })
        }
    }
}

extension TextBuffer {
    /// Writes a value as JSON.
    mutating func json(_ content: FieldContent) {
        switch content {
        case .integer(let value): integer(value)
        case .number(let value): number(value)
        case .text(let value): quoted(value)
        case .boolean(let value): plain(value ? "true" : "false")
        case .numbers(let values):
            byte(UInt8(ascii: "["))
            numbers(values)
            byte(UInt8(ascii: "]"))
        }
    }

    /// Writes a value as a cell of a table.
    mutating func cell(_ content: FieldContent) {
        switch content {
        case .text(let value): cell(value)
        case .numbers(let values):
            for (index, value) in values.enumerated() {
                if index > 0 { byte(0x20) }
                number(value)
            }
        default: json(content)
        }
    }
}
