import Connectors

/// Writes shell completion scripts from the command table.
///
/// The three scripts hold the same table of cases. A case lists what to offer after a sequence of verbs: words and files for an
/// argument, and choices for the value of a flag. Each script is native to its shell, because zsh's emulation of bash completion
/// supports neither descriptions nor loading a script by its name.
enum CompletionScript {
    /// A shell for which a completion script exists.
    enum Shell: String, CaseIterable { case bash, zsh, fish }

    /// The words, files and flags that are offered after a sequence of verbs.
    private struct Case {
        /// The verbs, joined by spaces, without `pipectl`.
        let verbs: String
        let words: [(word: String, meaning: String)]
        /// Whether files are offered.
        let files: Bool
        let flags: [FlagDescription]
        /// The values that are offered for a flag, by its name.
        let choices: [String: [String]]
    }

    /// Returns the script for a shell.
    static func text(for shell: Shell, _ tool: CommandLineTool) -> String {
        let cases = collect(.root(named: tool.name), [], tool, isRoot: true)
        let text =
            switch shell {
            case .bash: bash(cases)
            case .zsh: zsh(cases)
            case .fish: fish(cases)
            }
        return text.naming(tool.name)
    }

    private static func collect(
        _ command: Command, _ verbs: [String], _ tool: CommandLineTool, isRoot: Bool
    ) -> [Case] {
        var words = command.subcommands.map { ($0.name, $0.summary) }
        var files = false
        for argument in command.arguments {
            switch argument.completion {
            case .nothing: break
            case .files: files = true
            case .names(let names): words += names(tool).map { ($0, argument.name) }
            }
        }
        let flags = command.allFlags(isRoot: isRoot)
        var choices: [String: [String]] = [:]
        for flag in flags {
            choices[flag.name] = flag.offers?(tool)
            if case .choice(let names) = flag.kind { choices[flag.name] = names }
        }
        let own = Case(
            verbs: verbs.joined(separator: " "), words: words, files: files, flags: flags, choices: choices)
        return [own] + command.subcommands.flatMap { collect($0, verbs + [$0.name], tool, isRoot: false) }
    }

    private static func bash(_ cases: [Case]) -> String {
        var text = """
            # Written by: pipectl completion
            _pipectl() {
                local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}" verbs="" word
                local words="" flags="" choices="" files=0
                # If bash splits words at =, "--flag=x" arrives as three words.
                if [[ "$current" == "=" ]]; then current=""; fi
                if [[ "$previous" == "=" ]]; then previous="${COMP_WORDS[COMP_CWORD-2]}"; fi
                for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
                    case "$verbs $word" in

            """
        let paths = cases.map(\.verbs).filter { !$0.isEmpty }
        text += "            \(paths.map { "\" \($0)\"" }.joined(separator: "|"))) verbs=\"$verbs $word\" ;;\n"
        text += "        esac\n    done\n    case \"$verbs\" in\n"
        for item in cases {
            let pattern = item.verbs.isEmpty ? "\"\"" : "\" \(item.verbs)\""
            text += "        \(pattern))\n"
            text +=
                "            words=\"\(item.words.map(\.word).joined(separator: " "))\" files=\(item.files ? 1 : 0)\n"
            text += "            flags=\"\(item.flags.map { "--\($0.name)" }.joined(separator: " "))\"\n"
            let choices = item.flags.compactMap { flag in
                item.choices[flag.name].map { "--\(flag.name)) choices=\"\($0.joined(separator: " "))\" ;;" }
            }
            if !choices.isEmpty { text += "            case \"$previous\" in \(choices.joined(separator: " ")) esac\n" }
            text += "            ;;\n"
        }
        text += """
                esac
                if [[ -n "$choices" ]]; then
                    COMPREPLY=($(compgen -W "$choices" -- "$current"))
                elif [[ "$current" == -* ]]; then
                    COMPREPLY=($(compgen -W "$flags" -- "$current"))
                else
                    COMPREPLY=($(compgen -W "$words" -- "$current"))
                    if [[ $files == 1 ]]; then COMPREPLY+=($(compgen -f -- "$current")); fi
                fi
            }
            complete -o filenames -F _pipectl pipectl

            """
        return text
    }

    private static func zsh(_ cases: [Case]) -> String {
        var text = """
            #compdef pipectl
            # Written by: pipectl completion
            _pipectl() {
                local verbs="" word flag="${words[CURRENT-1]}" files=0
                local -a names flags choices
                for word in "${(@)words[2,CURRENT-1]}"; do
                    case "$verbs $word" in

            """
        let paths = cases.map(\.verbs).filter { !$0.isEmpty }
        text += "            \(paths.map { "\" \($0)\"" }.joined(separator: "|"))) verbs=\"$verbs $word\" ;;\n"
        text += """
                    esac
                done
                if [[ "$PREFIX" == --*=* ]]; then
                    flag="${PREFIX%%=*}"
                    compset -P '*='
                fi
                case "$verbs" in

            """
        for item in cases {
            text += "        \(item.verbs.isEmpty ? "\"\"" : "\" \(item.verbs)\""))\n"
            let words = item.words.map { described($0.word, $0.meaning) }
            text += "            names=(\(words.joined(separator: " "))) files=\(item.files ? 1 : 0)\n"
            let flags = item.flags.map { described("--" + $0.name, $0.summary) }
            text += "            flags=(\(flags.joined(separator: " ")))\n"
            // A value without a list of choices may be a file name, so files are offered.
            let values = item.flags.filter(\.takesValue).map { flag in
                let form = "--\(flag.name)" + (flag.short.map { "|-\($0)" } ?? "")
                guard let names = item.choices[flag.name] else { return "\(form)) names=() files=1 ;;" }
                return "\(form)) choices=(\(names.joined(separator: " "))) ;;"
            }
            if !values.isEmpty { text += "            case \"$flag\" in \(values.joined(separator: " ")) esac\n" }
            text += "            ;;\n"
        }
        return text + """
                esac
                if (( $#choices )); then
                    compadd -a choices
                elif [[ "$PREFIX" == -* ]]; then
                    _describe -o flag flags
                else
                    (( $#names )) && _describe word names
                    (( files )) && _files
                fi
            }
            # When zsh autoloads this file, the file runs as the body of the function and must call it. When the file is
            # sourced, it only registers the function.
            if [[ "${funcstack[1]}" == _pipectl ]]; then _pipectl "$@"; else compdef _pipectl pipectl; fi

            """
    }

    /// Returns a word with its meaning, quoted for zsh.
    private static func described(_ word: String, _ meaning: String) -> String {
        "'" + "\(word):\(meaning)".map { $0 == "'" ? "'\\''" : String($0) }.joined() + "'"
    }

    private static func fish(_ cases: [Case]) -> String {
        var text = """
            # Written by: pipectl completion
            function __pipectl_at
                set -l verbs
                for word in (commandline -opc)[2..]
                    switch "$verbs $word"

            """
        let paths = cases.map(\.verbs).filter { !$0.isEmpty }
        text += "            case \(paths.map { "' \($0)'" }.joined(separator: " "))\n"
        text += "                set verbs \"$verbs $word\"\n        end\n    end\n"
        text += "    test \"$verbs\" = \"$argv[1]\"\nend\ncomplete -c pipectl -f\n"
        for item in cases {
            let condition = "-n \"__pipectl_at '\(item.verbs.isEmpty ? "" : " " + item.verbs)'\""
            for (word, meaning) in item.words {
                text += "complete -c pipectl \(condition) -a '\(quote(word))' -d '\(quote(meaning))'\n"
            }
            if item.files { text += "complete -c pipectl \(condition) -F\n" }
            for flag in item.flags {
                var line = "complete -c pipectl \(condition) -l \(flag.name)"
                if let short = flag.short { line += " -s \(short)" }
                if flag.takesValue { line += " -r" }
                if let names = item.choices[flag.name] { line += " -f -a '\(names.joined(separator: " "))'" }
                text += "\(line) -d '\(quote(flag.summary))'\n"
            }
        }
        return text
    }

    private static func quote(_ text: String) -> String {
        text.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
    }
}
