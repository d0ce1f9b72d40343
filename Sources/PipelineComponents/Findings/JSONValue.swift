import Pipeline

/// A JSON value for reports and schemas. Keys keep their order.
///
/// Use it for output that is written rarely, such as once per run. Frames have their own, faster writer.
public indirect enum JSONValue: Sendable {
    case null
    case boolean(Bool)
    case integer(Int)
    /// A finite number. Any other number is written as null, because JSON cannot represent it.
    case number(Double)
    case string(String)
    case array([JSONValue])
    /// Members in the order written.
    case object([(key: String, value: JSONValue)])

    /// Returns the value as text: with two spaces per level of indentation, or on one line.
    public func text(isIndented: Bool = true) -> String {
        var output = ""
        write(to: &output, indentation: isIndented ? 0 : nil)
        return output
    }

    private func write(to output: inout String, indentation: Int?) {
        switch self {
        case .null: output += "null"
        case .boolean(let value): output += value ? "true" : "false"
        case .integer(let value): output += String(value)
        case .number(let value): output += value.isFinite ? shortDecimal(value) : "null"
        case .string(let value): output += Self.quoted(value)
        case .array(let values):
            Self.write(values, "[", "]", to: &output, indentation) { value, output, inner in
                value.write(to: &output, indentation: inner)
            }
        case .object(let members):
            Self.write(members, "{", "}", to: &output, indentation) { member, output, inner in
                output += Self.quoted(member.key) + (inner == nil ? ":" : ": ")
                member.value.write(to: &output, indentation: inner)
            }
        }
    }

    private static func write<Element>(
        _ elements: [Element], _ open: String, _ close: String, to output: inout String, _ indentation: Int?,
        _ element: (Element, inout String, Int?) -> Void
    ) {
        output += open
        let inner = indentation.map { $0 + 2 }
        for (index, item) in elements.enumerated() {
            if index > 0 { output += "," }
            if let inner { output += "\n" + String(repeating: " ", count: inner) }
            element(item, &output, inner)
        }
        if let indentation, !elements.isEmpty { output += "\n" + String(repeating: " ", count: indentation) }
        output += close
    }

    /// Returns a JSON string with its quotes (RFC 8259). Quotes, backslashes and invisible characters are escaped, and all other
    /// characters are unchanged.
    public static func quoted(_ text: String) -> String {
        var output = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": output += "\\\""
            case "\\": output += "\\\\"
            case "\n": output += "\\n"
            case "\r": output += "\\r"
            case "\t": output += "\\t"
            case _ where scalar.isHidden:
                let code = String(scalar.value, radix: 16)
                output += "\\u" + String(repeating: "0", count: 4 - code.count) + code
            default: output.unicodeScalars.append(scalar)
            }
        }
        return output + "\""
    }
}
