import Pipeline
import PipelineComponents

/// Writes the explanations of codes: as text for a terminal, as Markdown, and as JSON.
enum ExplanationText {
    /// The width of text in columns. It does not depend on the terminal.
    private static let width = 100

    /// Returns a list of all codes by family, one line each.
    static func list(_ families: [Explanation.Family], _ style: Style) -> String {
        let width = families.flatMap(\.explanations).map(\.code.count).max() ?? 0
        return families.map { family in
            style.strong(family.title) + "\n"
                + family.explanations.map { explanation in
                    let code = explanation.code
                    return "  \(code)\(String(repeating: " ", count: width - code.count))  \(explanation.meaning)\n"
                }.joined()
        }.joined(separator: "\n")
    }

    /// Returns the full explanation of one code.
    static func text(_ explanation: Explanation, _ style: Style) -> String {
        let head = "\(style.strong(explanation.code)) (\(kinds(explanation))): \(explanation.meaning)"
        let example = lines(of: explanation.example).map { $0.isEmpty ? "\n" : "  \($0)\n" }.joined()
        return [
            WrappedText.wrap(head, width: width) + "\n",
            paragraph("Cause", explanation.cause, style),
            style.strong("Example") + "\n" + example,
            paragraph("Remedy", explanation.remedy, style),
        ].joined(separator: "\n")
    }

    private static func paragraph(_ title: String, _ text: String, _ style: Style) -> String {
        style.strong(title) + "\n  " + WrappedText.wrap(text, width: width, indent: 2) + "\n"
    }

    private static func lines(of example: Explanation.Example) -> [Substring] {
        text(of: example).dropLast().split(separator: "\n", omittingEmptySubsequences: false)
    }

    private static func text(of example: Explanation.Example) -> String {
        switch example {
        case .configuration(let text), .output(let text): text
        }
    }

    private static func kinds(_ explanation: Explanation) -> String {
        explanation.kinds.map(\.name).joined(separator: " or ")
    }

    // MARK: - Markdown

    /// Returns the page of all codes, without its first heading.
    static func page(_ families: [Explanation.Family]) -> String {
        let kinds = Explanation.Kind.allCases.map { "| \($0.name) | \($0.consequence) |\n" }.joined()
        let contents = families.map { "- [\($0.title)](#\(anchor($0.title)))\n" }.joined()
        let sections = families.map { family in
            "## \(family.title)\n\n" + markdown(family.explanations)
        }
        return "| reported as | what it means |\n| --- | --- |\n" + kinds + "\n" + contents + "\n"
            + sections.joined(separator: "\n")
    }

    /// Returns the explanations of codes as a part of a page.
    static func markdown(_ explanations: [Explanation]) -> String {
        explanations.map { explanation in
            let language =
                switch explanation.example {
                case .configuration: "yaml"
                case .output: "text"
                }
            let kinds = kinds(explanation)
            return """
                ### `\(explanation.code)`

                \(explanation.meaning) (\(kinds.prefix(1).uppercased())\(kinds.dropFirst()).)

                Cause: \(explanation.cause)

                ```\(language)
                \(text(of: explanation.example))```

                Remedy: \(explanation.remedy)

                """
        }.joined(separator: "\n")
    }

    /// Returns the anchor that Markdown renderers derive from a heading.
    private static func anchor(_ heading: String) -> String {
        heading.lowercased().filter { $0.isLetter || $0.isNumber || " -_".contains($0) }.replacing(" ", with: "-")
    }

    // MARK: - Data

    /// Returns the explanation of a code as JSON.
    static func json(_ explanation: Explanation, in family: String) -> JSONValue {
        let form =
            switch explanation.example {
            case .configuration: "configuration"
            case .output: "output"
            }
        return .object([
            ("code", .string(explanation.code)), ("family", .string(family)),
            ("reported_as", .array(explanation.kinds.map { .string($0.rawValue) })),
            ("meaning", .string(explanation.meaning)), ("cause", .string(explanation.cause)),
            ("example", .object([(form, .string(text(of: explanation.example)))])),
            ("remedy", .string(explanation.remedy)),
        ])
    }

    /// Returns explanations as JSON, each with its family.
    ///
    /// - Parameter explanations: The explanations to return; `nil` for all of `families`.
    static func json(_ families: [Explanation.Family], only explanations: [Explanation]?) -> JSONValue {
        let codes = explanations.map { Set($0.map(\.code)) }
        return .array(
            families.flatMap { family in
                family.explanations.filter { codes?.contains($0.code) ?? true }.map { json($0, in: family.title) }
            })
    }
}
