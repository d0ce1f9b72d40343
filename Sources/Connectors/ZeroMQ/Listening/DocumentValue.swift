import Pipeline

/// A document as a tree, to inspect messages of unknown structure. Sources do not read frames this way.
package indirect enum DocumentValue: Sendable, Equatable {
    case null
    case boolean(Bool)
    case number(Double)
    case string(String)
    case bytes
    case array([DocumentValue])
    case object([Field])

    /// A key and its value.
    package struct Field: Sendable, Equatable {
        package let key: String
        package let value: DocumentValue
    }

    /// Reads a document.
    ///
    /// - Throws: A frame error when the bytes are not a document, or when it is nested too deep.
    /// - Complexity: O(*n*), where *n* is the number of bytes.
    package init(_ bytes: [UInt8], _ syntax: DocumentSyntax) throws {
        let padded = bytes + [UInt8](repeating: 0, count: JSONReader.padding)
        self = try padded.withUnsafeBytes { padded in
            let document = UnsafeRawBufferPointer(rebasing: padded[0..<bytes.count])
            switch try SyntaxReader(syntax) {
            case .json(let reader): return try Self.read(document, by: reader)
            case .messagePack(let reader): return try Self.read(document, by: reader)
            }
        }
    }

    private static func read<Reader: DocumentReader>(
        _ document: UnsafeRawBufferPointer, by reader: Reader
    ) throws -> DocumentValue {
        try reader.begin(document)
        let type = try reader.type()
        guard type == .object || type == .array else {
            throw PipelineError.frame("decode.type", "expected an object or a list, found \(type.described)")
        }
        let value = try read(reader)
        try reader.end()
        return value
    }

    private static func read<Reader: DocumentReader>(_ reader: Reader) throws(PipelineError) -> DocumentValue {
        switch try reader.type() {
        case .null: return .null
        case .boolean: return .boolean(try reader.boolean())
        case .number: return .number(try reader.number())
        case .string: return .string(try reader.string())
        case .bytes: return .bytes
        case .array:
            var elements: [DocumentValue] = []
            try reader.enterArray()
            while try reader.nextElement() { elements.append(try read(reader)) }
            return .array(elements)
        case .object:
            var fields: [Field] = []
            try reader.enterObject()
            while let field = try reader.nextField() {
                let name = String(decoding: field.key, as: UTF8.self)
                fields.append(Field(key: name, value: try read(reader)))
            }
            return .object(fields)
        }
    }

    /// The value of a key of an object, or `nil` when there is no such key.
    package subscript(key: String) -> DocumentValue? {
        guard case .object(let fields) = self else { return nil }
        return fields.first { $0.key == key }?.value
    }

    /// The value at a path, or `nil` when there is none. Of the elements of `[*]`, the first counts.
    subscript(path: FieldPath) -> DocumentValue? {
        var value = self
        for step in path.steps {
            var list: [DocumentValue] = []
            if case .array(let elements) = value { list = elements }
            let next: DocumentValue? =
                switch step {
                case .key(let key): value[key]
                case .element(let number): number < list.count ? list[number] : nil
                case .each: list.first
                }
            guard let next else { return nil }
            value = next
        }
        return value
    }

    /// The value as a number, or `nil` when it is not one.
    package var number: Double? { if case .number(let number) = self { number } else { nil } }

    /// The value as a string, or `nil` when it is not one.
    package var string: String? { if case .string(let text) = self { text } else { nil } }

    /// The elements of a list that contains only numbers, or `nil` for anything else.
    package var numbers: [Double]? {
        guard case .array(let elements) = self, !elements.isEmpty else { return nil }
        let numbers = elements.compactMap(\.number)
        return numbers.count == elements.count ? numbers : nil
    }

    /// Returns a summary of the value on one line. It shows the content of lists and objects down to a given depth only.
    package func outline(depth: Int = 2) -> String {
        switch self {
        case .null: return "null"
        case .boolean(let value): return value ? "true" : "false"
        case .number(let number): return shortDecimal(number)
        case .string(let text): return "\"\(text.count > 24 ? text.prefix(24) + "…" : text[...])\""
        case .bytes: return "bytes"
        case .array(let elements):
            guard let first = elements.first else { return "[]" }
            if let numbers, numbers.count > 4 { return "[\(numbers.count) numbers]" }
            if depth == 0 { return "[\(elements.count)]" }
            if elements.count > 4 { return "[\(elements.count) × \(first.outline(depth: depth - 1))]" }
            return "[" + elements.map { $0.outline(depth: depth - 1) }.joined(separator: ", ") + "]"
        case .object(let fields):
            if depth == 0 {
                return "{" + fields.prefix(6).map(\.key).joined(separator: ", ") + (fields.count > 6 ? ", …}" : "}")
            }
            return "{"
                + fields.prefix(12).map { "\($0.key): \($0.value.outline(depth: depth - 1))" }.joined(separator: ", ")
                + (fields.count > 12 ? ", …}" : "}")
        }
    }
}
