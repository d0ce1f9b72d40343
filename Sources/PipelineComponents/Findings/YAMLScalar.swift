/// Writes texts as scalars of a configuration. They are quoted where necessary, so that a text cannot add other YAML.
enum YAMLScalar {
    /// Returns a scalar that is read from a configuration as exactly this text. A plain word such as `pen/1` or `head.t_ms` is
    /// unchanged; any other text is put in double quotes. O(length).
    ///
    /// Inside the quotes, characters that break lines, change the writing direction or are invisible are escaped. A dollar sign
    /// that would begin a variable is doubled.
    static func text(_ text: String) -> String { isWord(text) ? text : quoted(text) }

    /// Returns whether YAML readers, including common ones of YAML 1.1, read the unquoted text as a string.
    private static func isWord(_ text: String) -> Bool {
        guard let first = text.utf8.first, isLetter(first), Double(text) == nil,
            !["null", "true", "false", "yes", "no", "on", "off"].contains(text.lowercased())
        else { return false }
        return text.utf8.allSatisfy {
            isLetter($0) || (UInt8(ascii: "-")...UInt8(ascii: "9")).contains($0)
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "_")
    }

    private static func quoted(_ text: String) -> String {
        var output = "\""
        var scalars = text.unicodeScalars[...]
        while let scalar = scalars.popFirst() {
            switch scalar {
            case "\"": output += "\\\""
            case "\\": output += "\\\\"
            case "\n": output += "\\n"
            case "\r": output += "\\r"
            case "\t": output += "\\t"
            case "$": output += scalars.first == "$" || scalars.first == "{" ? "$$" : "$"
            default:
                if isVisible(scalar) {
                    output.unicodeScalars.append(scalar)
                } else {
                    let code = String(scalar.value, radix: 16)
                    let isLong = scalar.value > 0xFFFF
                    output +=
                        (isLong ? "\\U" : "\\u") + String(repeating: "0", count: (isLong ? 8 : 4) - code.count) + code
                }
            }
        }
        return output + "\""
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        default: true
        }
    }
}
