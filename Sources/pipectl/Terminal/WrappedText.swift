/// Breaks text into lines at spaces.
enum WrappedText {
    /// The text in lines not wider than `width`, of which the first `indent` columns are taken; lines behind the first are
    /// indented so far. A word that is wider stands alone.
    static func wrap(_ text: String, width: Int, indent: Int = 0) -> String {
        var lines = [""]
        for word in text.split(separator: " ") {
            let last = lines.count - 1
            if lines[last].isEmpty {
                lines[last] = String(word)
            } else if indent + lines[last].count + 1 + word.count <= width {
                lines[last] += " \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines.joined(separator: "\n" + String(repeating: " ", count: indent))
    }

    /// The same for several paragraphs: every line of `text` is one.
    static func wrapParagraphs(_ text: String, width: Int) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { wrap(String($0), width: width) }
            .joined(separator: "\n")
    }
}
