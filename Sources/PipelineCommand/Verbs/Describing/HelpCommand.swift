import Pipeline

extension Command {
    private static let man = Flag.toggle("man", "Writes the manual page of the whole program, for man(1)")

    /// `pipectl help [VERB…]`: writes the same text as `--help` after the verb.
    static let help: Command = Command(
        "help", "explain a verb",
        arguments: [
            Argument(
                "VERB", "the verb to explain; some verbs are two words: gestures add", arity: .any,
                completion: .names { Command.root(named: $0.name).subcommands.map(\.name) })
        ],
        flags: [man.description],
        examples: [
            Example("pipectl help run", "Explains how to run a pipeline"),
            Example("pipectl help --man > pipectl.1", "Writes the manual page; man -l pipectl.1 shows it"),
        ]
    ) { invocation, console in
        if invocation[man] {
            if let word = invocation.words.first {
                throw UsageError(
                    "--man writes the page of the whole program, not of \"\(word)\"", help: "leave out one of the two")
            }
            try console.writeResult(ManualPage.text(invocation.tool))
            return .done
        }
        var path = [invocation.path[0]]
        for word in invocation.words {
            let family = path[path.count - 1]
            guard let next = family.subcommand(word) else {
                let names = family.subcommands.map(\.name)
                throw UsageError(
                    "unknown verb \"\(word)\"",
                    help: nearestName(to: word, among: names).map { "did you mean \"\($0)\"?" },
                    names.isEmpty ? nil : "verbs: \(names.joined(separator: ", "))")
            }
            path.append(next)
        }
        try console.writeResult(HelpText.text(for: path))
        return .done
    }
}
