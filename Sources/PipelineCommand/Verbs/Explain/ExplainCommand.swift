import Pipeline

extension Command {
    private enum Format: String, CaseIterable, Sendable { case text, json, markdown }

    private static let explainFormat = Flag<Format>.choice("format", default: .text, "The format of the answer")

    /// `pipectl explain [CODE…]`: shows the meaning of error and finding codes.
    static let explain: Command = Command(
        "explain", "explain the code of an error",
        details: """
            An error or a finding shows its code in brackets: error[zmq.address_in_use]. The explanation of a code says what is \
            wrong, why it happens, what it looks like and what to do. Without a code, all codes are listed. Errors in the command \
            line have no code: their messages say what to write instead.
            """,
        arguments: [
            Argument(
                "CODE", "the codes, without the brackets; without CODE, all are listed", arity: .any,
                completion: .names { $0.families.flatMap(\.explanations).map(\.code) })
        ],
        flags: [explainFormat.description],
        examples: [
            Example("pipectl explain zmq.address_in_use", "Explains what this error means and how to fix it"),
            Example("pipectl explain", "Lists all codes, with one sentence each"),
            Example("pipectl explain --format=json graph.cycle", "Explains a code as data"),
        ]
    ) { invocation, console in
        let tool = invocation.tool
        let explanations = try invocation.words.map { code in
            guard let explanation = tool.explanation(of: code) else { throw unknownCode(code, tool) }
            return explanation
        }
        let isWhole = explanations.isEmpty
        switch invocation[explainFormat] ?? .text {
        case .json:
            try console.writeResult(ExplanationText.json(tool.families, only: isWhole ? nil : explanations).document)
        case .markdown:
            let page = isWhole ? ExplanationText.page(tool.families) : ExplanationText.markdown(explanations)
            try console.writeResult(page)
        case .text:
            let text =
                isWhole
                ? ExplanationText.list(tool.families, console.resultStyle)
                : explanations.map { ExplanationText.text($0, console.resultStyle) }.joined(separator: "\n")
            try console.writeResult(text.naming(console.program))
        }
        return .done
    }

    private static func unknownCode(_ code: String, _ tool: CommandLineTool) -> UsageError {
        let codes = tool.families.flatMap(\.explanations).map(\.code)
        let family = codes.filter { $0.hasPrefix(code + ".") }
        return UsageError(
            "no error or finding has the code \"\(code)\"",
            help: family.isEmpty
                ? nearestName(to: code, among: codes).map { "did you mean \"\($0)\"?" }
                : "there are \(shortList(family))",
            "\"pipectl explain\" lists them all")
    }
}
