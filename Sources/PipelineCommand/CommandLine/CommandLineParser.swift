import Pipeline

/// Parses a command line according to a command table.
///
/// Accepts `--flag value`, `--flag=value`, `-q`, `-qv`, flags before and after arguments, and `--` before words that start with a
/// dash. A single `-` is a word. A request for help takes precedence over every error after the verb.
struct CommandLineParser {
    /// The program whose command lines are parsed.
    let tool: CommandLineTool
    /// The root of the command table.
    let root: Command

    /// Parses the words that follow the program's name.
    func parse(_ words: [String]) throws(UsageError) -> Invocation {
        let (path, remaining) = descend(words[...])
        var rest = remaining
        if rest.contains(where: { $0 == "--help" || $0 == "-h" }, before: "--") {
            var invocation = Invocation(tool, path: path)
            invocation.add("", to: Flags.help.description)
            return invocation
        }
        let command = path[path.count - 1]
        if command.action == nil, path.count > 1 || !(rest.first ?? "").hasPrefix("-") {
            try refuseFamily(path, rest.first)
        }
        var invocation = Invocation(tool, path: path)
        let flags = command.allFlags(isRoot: path.count == 1)
        while let word = rest.popFirst() {
            if word == "--" {
                for word in rest { invocation.add(word: word) }
                break
            } else if word.hasPrefix("--") {
                try readLong(word, &rest, flags, &invocation)
            } else if word.hasPrefix("-"), word.count > 1 {
                try readShort(word, &rest, flags, &invocation)
            } else {
                invocation.add(word: word)
            }
        }
        try checkWords(invocation)
        return invocation
    }

    /// Follows the words for as long as they name subcommands. Returns the commands from the root on, and the remaining words.
    private func descend(_ words: ArraySlice<String>) -> (path: [Command], rest: ArraySlice<String>) {
        var path = [root]
        var rest = words
        while let word = rest.first, let next = path[path.count - 1].subcommand(word) {
            path.append(next)
            rest.removeFirst()
        }
        return (path, rest)
    }

    /// Throws a usage error for a verb that is unknown, or missing after the name of a family. Returns if the command line is only
    /// the program's name; the program then shows its help.
    private func refuseFamily(_ path: [Command], _ word: String?) throws(UsageError) {
        let family = path[path.count - 1]
        let names = family.subcommands.map(\.name)
        let fullName = path.map(\.name).joined(separator: " ")
        guard let word else {
            if path.count == 1 { return }
            throw UsageError(
                "\"\(fullName)\" needs a verb", help: "verbs: \(names.joined(separator: ", "))",
                "\"\(fullName) --help\" says more")
        }
        let near = nearestName(to: word, among: names)
        throw UsageError(
            "unknown verb \"\(word)\"", help: near.map { "did you mean \"\(fullName) \($0)\"?" },
            "verbs: \(names.joined(separator: ", "))")
    }

    private func readLong(
        _ word: String, _ rest: inout ArraySlice<String>, _ flags: [FlagDescription], _ invocation: inout Invocation
    ) throws(UsageError) {
        let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        guard let flag = flags.first(where: { $0.name == name }) else {
            throw unknown("--\(name)", flags, invocation)
        }
        try take(flag, shown: "--\(name)", given: parts.count > 1 ? String(parts[1]) : nil, &rest, &invocation)
    }

    private func readShort(
        _ word: String, _ rest: inout ArraySlice<String>, _ flags: [FlagDescription], _ invocation: inout Invocation
    ) throws(UsageError) {
        var letters = word.dropFirst()
        while let letter = letters.popFirst() {
            guard let flag = flags.first(where: { $0.short == letter }) else {
                throw unknown("-\(letter)", flags, invocation)
            }
            if flag.takesValue {
                let given = letters.isEmpty ? nil : String(letters)
                letters = ""
                try take(flag, shown: "-\(letter)", given: given, &rest, &invocation)
            } else {
                try take(flag, shown: "-\(letter)", given: nil, &rest, &invocation)
            }
        }
    }

    private func take(
        _ flag: FlagDescription, shown: String, given: String?, _ rest: inout ArraySlice<String>,
        _ invocation: inout Invocation
    ) throws(UsageError) {
        guard flag.takesValue else {
            if let given { throw UsageError("\(shown) takes no value, found \"\(given)\"", help: "write \(shown)") }
            invocation.add("", to: flag)
            return
        }
        let form = "write \(shown)\(shown.hasPrefix("--") ? "=" : " ")\(flag.placeholder ?? "VALUE")"
        guard let value = given ?? rest.popFirst() else {
            throw UsageError("\(shown) needs \(flag.wanted)", help: form)
        }
        guard flag.accepts(value) else {
            var near: String?
            if case .choice(let names) = flag.kind { near = nearestName(to: value, among: names) }
            throw UsageError(
                "\(shown) needs \(flag.wanted), found \"\(value)\"",
                help: near.map { "did you mean \"\($0)\"?" } ?? form)
        }
        if !flag.repeats, invocation.values[flag.name] != nil {
            throw UsageError("\(shown) was given twice", help: "give it once")
        }
        invocation.add(value, to: flag)
    }

    private func unknown(_ shown: String, _ flags: [FlagDescription], _ invocation: Invocation) -> UsageError {
        let names = flags.map(\.name)
        let near = shown.hasPrefix("--") ? nearestName(to: String(shown.dropFirst(2)), among: names) : nil
        return UsageError(
            "unknown flag \"\(shown)\"", help: near.map { "did you mean \"--\($0)\"?" },
            "flags of \"\(invocation.fullName)\": \(names.map { "--\($0)" }.joined(separator: ", "))")
    }

    private func checkWords(_ invocation: Invocation) throws(UsageError) {
        let arguments = invocation.command.arguments
        let words = invocation.words
        var usage: String { "usage: \(HelpText.usage(invocation.path))" }
        let required = arguments.filter(\.isRequired)
        if words.count < required.count {
            let missing = required[words.count]
            throw UsageError(
                "\(missing.name) is missing: \(missing.summary)", help: usage,
                "\"\(invocation.fullName) --help\" shows examples")
        }
        let isOpen = arguments.contains { $0.arity == .many || $0.arity == .any }
        if !isOpen, words.count > arguments.count {
            throw UsageError("unexpected argument \"\(words[arguments.count])\"", help: usage)
        }
    }
}

extension ArraySlice<String> {
    /// Whether `matches` returns `true` for an element before the first `stop`.
    fileprivate func contains(where matches: (String) -> Bool, before stop: String) -> Bool {
        prefix { $0 != stop }.contains(where: matches)
    }
}
