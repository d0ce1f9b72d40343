import Pipeline
import PipelineComponents

extension YAMLProblem {
    /// Returns a finding that says in the user's terms what is wrong, where, and how to fix it.
    func diagnostic(in text: SourceText) -> Diagnostic {
        let isAtEnd = offset >= text.scalars.count || text.scalars[offset...].allSatisfy(\.properties.isWhitespace)
        let opened = contextOffset.map { text.position(at: $0).line }
        if let contextOffset {
            let place = text.span(from: contextOffset, to: contextOffset + 1)
            if context == "while scanning a quoted scalar", problem.contains("end of stream") {
                return Diagnostic(.error, "yaml.unclosed", "this quote is never closed", span: place)
            }
            if context.hasPrefix("while parsing a flow"), isAtEnd, contextOffset < text.scalars.count {
                return Diagnostic(
                    .error, "yaml.unclosed", "this \(text.scalars[contextOffset]) is never closed", span: place)
            }
            if context == "while scanning a simple key" {
                let end = endOfLine(from: contextOffset, in: text)
                return Diagnostic(
                    .error, "yaml.syntax", "expected \":\" after this key",
                    span: text.span(from: contextOffset, to: end),
                    help: "a list item needs \"- \" before it, a key needs \": \" after it")
            }
        }
        if let line = lineWithoutColon(text) {
            return Diagnostic(
                .error, "yaml.syntax", "expected \":\" between a key and its value", span: line,
                help: "write this line as key: value")
        }
        let (message, help) = explanation(in: text, opened: opened)
        let end = offset < text.scalars.count && text.scalars[offset] != "\n" ? offset + 1 : offset
        return Diagnostic(.error, "yaml.syntax", message, span: text.span(from: offset, to: end), help: help)
    }

    private func explanation(in text: SourceText, opened: Int?) -> (message: String, help: String?) {
        let character: Unicode.Scalar? = offset < text.scalars.count ? text.scalars[offset] : nil
        let since = opened.map { " that began on line \($0)" } ?? ""
        if holdsVariableInFlow(text) {
            return ("${…} inside { } or [ ] must be quoted", "write \"${NAME}\" with its quotes")
        }
        switch problem {
        case "mapping values are not allowed in this context":
            return ("a \":\" is not allowed here", "check the indentation, or quote a value that holds \": \"")
        case "did not find expected key":
            let column = contextOffset.map { text.position(at: $0).column }
            return (
                "the indentation of this line matches no line above it",
                column.map { "the keys of the mapping\(since) begin at column \($0)" }
            )
        case "did not find expected '-' indicator":
            return ("expected \"- \", the next item of the list\(since)", "check the indentation of this line")
        case "block sequence entries are not allowed in this context":
            return ("a list item is not allowed here", "begin the list on a line of its own")
        case "did not find expected ',' or ']'": return ("expected \",\" or \"]\" in the list\(since)", nil)
        case "did not find expected ',' or '}'": return ("expected \",\" or \"}\" in the mapping\(since)", nil)
        case "found character that cannot start any token" where character == "\t",
            "found a tab character that violates indentation",
            "found a tab character where an indentation space is expected":
            return ("a tab cannot indent YAML", "indent with spaces")
        case "found character that cannot start any token":
            let name = character.map { "\"\($0)\"" } ?? "this character"
            return ("a value cannot begin with \(name)", "quote the value")
        case "found unknown escape character":
            return ("unknown escape in a double-quoted string", "use single quotes, or write \\\\ for a backslash")
        case "found undefined tag handle": return ("unknown tag handle", nil)
        default: return (context.isEmpty ? problem : "\(problem) \(context)", nil)
        }
    }

    /// Returns whether the problem is an unquoted `${` between braces or brackets, where YAML ends a plain scalar at a brace.
    private func holdsVariableInFlow(_ text: SourceText) -> Bool {
        guard problem.hasPrefix("did not find expected ',' or"), offset < text.scalars.count else { return false }
        return text.scalars[offset] == "{" && offset > 0 && text.scalars[offset - 1] == "$"
    }

    /// Returns the line above the problem if it seems to lack its colon. YAML then joins both lines into one plain scalar, and
    /// fails at the colon of the second line.
    private func lineWithoutColon(_ text: SourceText) -> SourceSpan? {
        guard problem == "mapping values are not allowed in this context" else { return nil }
        let place = text.position(at: offset)
        let before = text.line(place.line).prefix(place.column - 1)
        let above = text.line(place.line - 1)
        let indentation = before.prefix { $0 == " " }.count
        guard place.line > 1, !before.dropFirst(indentation).contains(where: { ":-\"'".unicodeScalars.contains($0) }),
            above.prefix(while: { $0 == " " }).count == indentation, above.count > indentation,
            !above.contains(":"), !above.contains("#")
        else { return nil }
        return SourceSpan(
            file: text.file, start: SourcePosition(line: place.line - 1, column: indentation + 1),
            end: SourcePosition(line: place.line - 1, column: above.count + 1))
    }

    private func endOfLine(from offset: Int, in text: SourceText) -> Int {
        var end = offset
        while end < text.scalars.count, text.scalars[end] != "\n", text.scalars[end] != "\r" { end += 1 }
        return end
    }
}
