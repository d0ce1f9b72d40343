extension String {
    /// Whether the text is safe to print on a terminal without escapes: no character is hidden. O(length).
    package var isPrintable: Bool {
        utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } || !unicodeScalars.contains(where: \.isHidden)
    }

    /// The text with escapes for invisible characters, for example `\n` or `\u{1b}`. O(length).
    package var shown: String {
        if isPrintable { return self }
        var shown = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "\t": shown += "\\t"
            case "\n": shown += "\\n"
            case "\r": shown += "\\r"
            case _ where scalar.isHidden: shown += "\\u{\(String(scalar.value, radix: 16))}"
            default: shown.unicodeScalars.append(scalar)
            }
        }
        return shown
    }
}
