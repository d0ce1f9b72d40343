/// Writes the help of commands, examples first.
enum HelpText {
    /// The width of help in columns. It does not depend on the terminal.
    private static let width = 80

    /// Returns the help of the command at the end of a path.
    static func text(for path: [Command]) -> String {
        let command = path[path.count - 1]
        let isRoot = path.count == 1
        let fullName = path.map(\.name).joined(separator: " ")
        var sections = ["\(fullName): \(command.summary)\n"]
        if !command.examples.isEmpty {
            sections.append(
                "Examples:\n"
                    + command.examples.map { "  \($0.command.naming(path[0].name))\n      \($0.meaning)\n" }.joined())
        }
        sections.append("Usage: \(usage(path))\n")
        if !command.details.isEmpty {
            let paragraphs = command.details.split(separator: "\n").map {
                WrappedText.wrap(String($0), width: width) + "\n"
            }
            sections.append(paragraphs.joined(separator: "\n"))
        }
        if !command.subcommands.isEmpty {
            sections.append("Verbs:\n" + list(command.subcommands.map { ($0.name, $0.summary) }))
        }
        if !command.arguments.isEmpty {
            sections.append("Arguments:\n" + list(command.arguments.map { ($0.name, $0.summary) }))
        }
        let flags = command.allFlags(isRoot: isRoot)
        let hasShort = flags.contains { $0.short != nil }
        sections.append("Flags:\n" + list(flags.map { (form(of: $0, hasShort: hasShort), meaning(of: $0)) }))
        if isRoot {
            let codes = ExitCode.allCases.map { (String($0.rawValue), $0.meaning) }
            sections.append("Exit codes:\n" + list(codes))
            sections.append("\"\(fullName) help VERB\" says more about a verb.\n")
        } else if !command.subcommands.isEmpty {
            sections.append("\"\(fullName) VERB --help\" says more about a verb.\n")
        }
        return sections.joined(separator: "\n")
    }

    /// Returns a usage line: `pipectl run [FLAGS] CONFIG`.
    static func usage(_ path: [Command]) -> String {
        let command = path[path.count - 1]
        let fullName = path.map(\.name).joined(separator: " ")
        if !command.subcommands.isEmpty { return "\(fullName) VERB …" }
        return ([fullName, "[FLAGS]"] + command.arguments.map(\.usage)).joined(separator: " ")
    }

    /// Returns a flag as the help shows it: `-v, --verbose`, `--limit=N`.
    ///
    /// - Parameter hasShort: Whether to leave room for a short name.
    static func form(of flag: FlagDescription, hasShort: Bool) -> String {
        let short = flag.short.map { "-\($0), " } ?? (hasShort ? "    " : "")
        return short + "--" + flag.name + (flag.placeholder.map { "=\($0)" } ?? "")
    }

    /// Returns what a flag does, its default, and whether it may be repeated.
    static func meaning(of flag: FlagDescription) -> String {
        var text = flag.meaning
        if let defaultText = flag.defaultText { text += " (default: \(defaultText))" }
        if flag.repeats { text += " (may be repeated)" }
        return text
    }

    /// Returns two columns. The second wraps, and starts on its own line after a long first column.
    private static func list(_ rows: [(String, String)]) -> String {
        let column = min(30, (rows.map(\.0.count).max() ?? 0) + 4)
        return rows.map { name, meaning in
            let indented = WrappedText.wrap(meaning, width: width, indent: column)
            let gap = column - 2 - name.count
            if gap < 2 { return "  \(name)\n\(String(repeating: " ", count: column))\(indented)\n" }
            return "  \(name)\(String(repeating: " ", count: gap))\(indented)\n"
        }.joined()
    }
}

extension String {
    /// Returns the text with `pipectl`, the name in all texts, replaced by the name of the running program.
    func naming(_ program: String) -> String {
        program == "pipectl" ? self : replacing("pipectl", with: program)
    }
}
