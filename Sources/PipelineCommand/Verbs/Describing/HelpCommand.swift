import Pipeline

extension Command {
    /// `pipectl help [VERB…]`: the same text as `--help` behind the verb.
    static let help: Command = Command(
        "help", "explain a verb",
        arguments: [
            Argument(
                "VERB", "the verb, or several words of a verb", arity: .any,
                completion: .names { Command.root(named: $0.name).subcommands.map(\.name) })
        ],
        examples: [
            Example("pipectl help run", "Explains how a pipeline is run")
        ]
    ) { invocation, console in
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
