/// A JSON document to be written: keys in the order given, two spaces a level, small values on one line.
indirect enum JSONText: Sendable {
    case null
    case boolean(Bool)
    case integer(Int)
    case number(Double)
    case string(String)
    case array([JSONText])
    case object([(String, JSONText)])

    /// A string, or null.
    static func optional(_ text: String?) -> JSONText { text.map { .string($0) } ?? .null }

    /// A number, or null when there is none or it is not finite, which JSON cannot say.
    static func optional(_ value: Double?) -> JSONText { value.map { .number($0) } ?? .null }

    /// The document, with a line end behind it.
    var document: String { render(indent: 0) + "\n" }

    private func render(indent: Int) -> String {
        let line = compact
        // What fits on a line is easier to read there.
        if line.count + indent <= 96 { return line }
        let (inner, outer) = (String(repeating: " ", count: indent + 2), String(repeating: " ", count: indent))
        switch self {
        case .array(let elements):
            let lines = elements.map { inner + $0.render(indent: indent + 2) }
            return "[\n\(lines.joined(separator: ",\n"))\n\(outer)]"
        case .object(let members):
            let lines = members.map { "\(inner)\(Self.quote($0)): \($1.render(indent: indent + 2))" }
            return "{\n\(lines.joined(separator: ",\n"))\n\(outer)}"
        default:
            return line
        }
    }

    private var compact: String {
        switch self {
        case .null: "null"
        case .boolean(let value): value ? "true" : "false"
        case .integer(let value): String(value)
        case .number(let value): value.isFinite ? Self.decimal(value) : "null"
        case .string(let text): Self.quote(text)
        case .array(let elements): "[" + elements.map(\.compact).joined(separator: ", ") + "]"
        case .object(let members):
            "{" + members.map { "\(Self.quote($0)): \($1.compact)" }.joined(separator: ", ") + "}"
        }
    }

    private static func decimal(_ value: Double) -> String {
        let text = String(value)
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    private static func quote(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            case "\u{0}"..<"\u{20}":
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
