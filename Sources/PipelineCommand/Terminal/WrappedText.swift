/// Wraps text at spaces.
enum WrappedText {
    /// Returns text in lines of at most `width` columns. The first line leaves room for `indent` columns of the caller's text
    /// before it; later lines are indented by `indent` spaces. A word that is wider than a line gets a line of its own.
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

    /// Returns Markdown with each paragraph's lines joined and wrapped again. Bullet lists, tables, first-level headings and
    /// indented lines stay as they are.
    static func wrapMarkdown(_ text: String, width: Int) -> String {
        var output: [String] = []
        var paragraph = ""
        func end() {
            if !paragraph.isEmpty { output.append(wrap(paragraph, width: width)) }
            paragraph = ""
        }
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let isVerbatim = line.isEmpty || ["-", "*", "|", " ", "#", "`"].contains { line.hasPrefix($0 + " ") }
            if isVerbatim {
                end()
                output.append(String(line))
            } else {
                paragraph += paragraph.isEmpty ? String(line) : " \(line)"
            }
        }
        end()
        return output.joined(separator: "\n")
    }
}
