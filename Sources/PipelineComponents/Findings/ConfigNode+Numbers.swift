/// Numbers in the spellings of YAML's core schema (YAML 1.2, section 10.3.2).
extension ConfigNode.Scalar {
    /// The whole number that the scalar is: decimal, octal as in `0o17`, or hexadecimal as in `0x1F`. `nil` if it is in quotes, is
    /// not a whole number, or does not fit into 64 bits.
    package var integer: Int? {
        guard isPlain else { return nil }
        let digits = text.dropFirst(2)
        // A sign is allowed only before decimal digits.
        guard digits.first != "+", digits.first != "-" else { return nil }
        switch text.prefix(2) {
        case "0x", "0X": return Int(digits, radix: 16)
        case "0o": return Int(digits, radix: 8)
        default: return Int(text)
        }
    }

    /// The number that the scalar is, which may be `.inf` or `.nan`. `nil` if it is in quotes or not a number.
    package var number: Double? {
        guard isPlain else { return nil }
        // Double also accepts "0x1p3", "inf" and "nan", which are strings in YAML.
        let isDecimal = text.utf8.allSatisfy { "0123456789+-.eE".utf8.contains($0) }
        if let number = (isDecimal ? Double(text) : nil) ?? integer.map(Double.init) { return number }
        switch text {
        case ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF": return .infinity
        case "-.inf", "-.Inf", "-.INF": return -.infinity
        case ".nan", ".NaN", ".NAN": return .nan
        default: return nil
        }
    }
}
