/// Writes the manual page, `man pipectl`, from the command table.
enum ManualPage {
    /// The date of the last change to the page's content, as its footer shows it.
    private static let date = "2026-11-26"

    /// Returns the page, in the language of man(7).
    static func text(_ tool: CommandLineTool) -> String {
        let root = Command.root(named: tool.name)
        var page = ".\\\" Written by: \(tool.name) help --man\n"
        page += ".TH \(tool.name.uppercased()) 1 \(date) \"\(tool.name) \(tool.version)\" \"User Commands\"\n"
        page += ".SH NAME\n\(escaped(tool.name)) \\- \(escaped(root.summary))\n"
        page += ".SH SYNOPSIS\n.B \(escaped(tool.name))\n.I VERB\n.RI [ FLAGS ] \" \" ARGUMENTS\n"
        page += ".SH DESCRIPTION\n" + paragraphs(description) + examples(root, tool)
        page += "Flags of every verb:\n" + flags(Flags.ofEveryCommand)
        page += "Flags without a verb:\n" + flags(Flags.ofRoot)
        page += ".SH VERBS\n"
        for verb in root.subcommands { page += section([root, verb], tool) }
        page += ".SH EXIT STATUS\n" + list(ExitCode.allCases.map { (String($0.rawValue), $0.meaning) })
        page += ".SH ENVIRONMENT\n" + list(EnvironmentVariable.all.map { ($0.name, $0.meaning) })
        page += ".SH FILES\n" + list(files)
        page += ".SH SEE ALSO\n.BR systemd.service (5),\n.BR journalctl (1)\n"
        return tidied(page).naming(tool.name)
    }

    /// Returns the page without empty paragraphs, which mandoc warns about.
    private static func tidied(_ page: String) -> String {
        var lines = page.split(separator: "\n", omittingEmptySubsequences: false)
        for index in lines.indices.dropFirst().dropLast().reversed() where lines[index] == ".PP" {
            let isFirst = lines[index - 1].hasPrefix(".SH ")
            let isEmpty = [".SH ", ".SS ", ".TP", ".PP"].contains { lines[index + 1].hasPrefix($0) }
            if isFirst || isEmpty { lines.remove(at: index) }
        }
        return lines.joined(separator: "\n")
    }

    private static let description = """
        A pipeline reads points (strokes of a pen, landmarks of hands, bodies and faces) from files, standard input, ZeroMQ or Kafka, processes them in stages, and \
        writes what it recognizes or draws. It is written in YAML: sources, stages and sinks.
        Results go to standard output, messages to standard error.
        """

    private static let files = [
        ("/etc/pipeline/NAME.yaml", "The pipeline that the service pipeline@NAME runs"),
        ("/var/lib/pipeline/NAME/", "The working folder of that service, to which it writes"),
        ("/run/pipeline/NAME/", "The folder for the sockets of that service"),
    ]

    /// Returns the section of a verb and of its subcommands.
    private static func section(_ path: [Command], _ tool: CommandLineTool) -> String {
        let command = path[path.count - 1]
        var text = ".SS \"\(path.dropFirst().map { escaped($0.name) }.joined(separator: " "))\"\n"
        text += escaped(command.summary.prefix(1).uppercased() + command.summary.dropFirst()) + ".\n"
        guard command.subcommands.isEmpty else {
            return text + paragraphs(command.details) + command.subcommands.map { section(path + [$0], tool) }.joined()
        }
        text += ".PP\n.B \(escaped(HelpText.usage(path)))\n" + paragraphs(command.details)
        text += list(command.arguments.map { ($0.name, $0.summary) }) + flags(command.flags) + examples(command, tool)
        return text
    }

    private static func flags(_ flags: [FlagDescription]) -> String {
        list(flags.map { (HelpText.form(of: $0, hasShort: false), HelpText.meaning(of: $0)) })
    }

    private static func list(_ rows: [(String, String)]) -> String {
        rows.map { ".TP\n.B \(escaped($0))\n\(line($1))\n" }.joined() + (rows.isEmpty ? "" : ".PP\n")
    }

    private static func examples(_ command: Command, _ tool: CommandLineTool) -> String {
        command.examples.map {
            ".PP\n\(line($0.meaning)):\n.sp\n.RS 4\n.nf\n\(line($0.command, width: .max))\n.fi\n.RE\n"
        }.joined()
            + (command.examples.isEmpty ? "" : ".PP\n")
    }

    private static func paragraphs(_ text: String) -> String {
        text.split(separator: "\n").map { ".PP\n\(line(String($0)))\n" }.joined()
    }

    /// Returns escaped text, wrapped at spaces. The caller must place it at the start of a line. Lines that start with a period or
    /// an apostrophe are escaped, because troff would read them as requests.
    private static func line(_ text: String, width: Int = 72) -> String {
        WrappedText.wrap(text, width: width).split(separator: "\n").map { part in
            let text = escaped(part)
            return text.hasPrefix(".") || text.hasPrefix("\\(aq") ? "\\&" + text : text
        }.joined(separator: "\n")
    }

    /// Returns text escaped for troff. Characters outside ASCII are written by their code points, and a dash as an ASCII minus, so
    /// that commands can be copied from the page.
    private static func escaped(_ text: some StringProtocol) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            case "'": result += "\\(aq"
            case "`": result += "\\(ga"
            case "^": result += "\\(ha"
            case "~": result += "\\(ti"
            case "\"": result += "\\(dq"
            case "\u{2026}": result += "..."
            case _ where scalar.isASCII: result.unicodeScalars.append(scalar)
            default:
                let number = String(scalar.value, radix: 16, uppercase: true)
                result += "\\[u" + String(repeating: "0", count: max(0, 4 - number.count)) + number + "]"
            }
        }
        return result
    }
}
