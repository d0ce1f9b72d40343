import Pipeline

extension String {
    /// The text for a person: what would end the line, move the cursor of a terminal, turn the direction of writing or hide
    /// text stands as an escape, `\n` or `\u{1b}`. O(length).
    package var shown: String {
        guard utf8.contains(where: { $0 < 0x20 || $0 >= 0x7F }) else { return self }
        var shown = ""
        for scalar in unicodeScalars {
            switch scalar.value {
            case 0x09: shown += "\\t"
            case 0x0A: shown += "\\n"
            case 0x0D: shown += "\\r"
            case _ where scalar.isHidden: shown += "\\u{\(String(scalar.value, radix: 16))}"
            default: shown.unicodeScalars.append(scalar)
            }
        }
        return shown
    }
}

extension TextBuffer {
    /// Writes text for a person, with blanks behind it up to a width.
    mutating func aligned(_ text: String, width: Int) {
        let shown = text.shown
        plain(shown)
        for _ in 0..<max(0, width - shown.count) { byte(0x20) }
    }
}
