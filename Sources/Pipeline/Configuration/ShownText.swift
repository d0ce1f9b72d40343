extension Unicode.Scalar {
    /// Whether a text that others wrote must not bring it before a person or a terminal as it is: it would end the line, move the
    /// cursor, turn the direction of writing or hide text.
    package var isUnprintable: Bool {
        switch value {
        case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200B, 0x200E, 0x200F, 0x2028...0x202E, 0x2060...0x2069, 0xFEFF: true
        default: false
        }
    }
}

extension String {
    /// Whether it holds nothing that ``shown`` or a JSON string would write in another way because of what it does to a terminal.
    /// O(length).
    package var isPrintable: Bool {
        utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } || !unicodeScalars.contains(where: \.isUnprintable)
    }

    /// The text for a person: what is unprintable stands as an escape, `\n` or `\u{1b}`. O(length).
    package var shown: String {
        if isPrintable { return self }
        var shown = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "\t": shown += "\\t"
            case "\n": shown += "\\n"
            case "\r": shown += "\\r"
            case _ where scalar.isUnprintable: shown += "\\u{\(String(scalar.value, radix: 16))}"
            default: shown.unicodeScalars.append(scalar)
            }
        }
        return shown
    }
}
