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
            case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200B, 0x200E, 0x200F, 0x2028...0x202E, 0x2060...0x2069, 0xFEFF:
                shown += "\\u{\(String(scalar.value, radix: 16))}"
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
