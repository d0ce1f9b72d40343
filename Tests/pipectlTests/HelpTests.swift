import Testing

@testable import PipelineCommand

@Suite("Help")
struct HelpTests {
    @Test("The help of a verb shows examples first, then usage, arguments and flags")
    func whole() async {
        let answer = await pipectl("completion", "--help")
        #expect(answer.code == .done)
        #expect(answer.messages == "")
        #expect(
            answer.results == """
                pipectl completion: write a completion script for a shell

                Examples:
                  source <(pipectl completion bash)
                      Completes verbs, flags and names in this shell
                  pipectl completion zsh > ~/.zfunc/_pipectl
                      Does the same in every zsh whose fpath contains that folder
                  pipectl completion fish > ~/.config/fish/completions/pipectl.fish
                      Does the same in every fish

                Usage: pipectl completion [FLAGS] SHELL

                Arguments:
                  SHELL  bash, zsh or fish

                Flags:
                  -q, --quiet    Prints only results and errors
                  -v, --verbose  Also prints debug messages
                  -h, --help     Shows this help

                """)
    }

    @Test("`help VERB` and `VERB --help` say the same, for every verb")
    func same() async {
        for path in Self.paths(.pipectl) where !path.isEmpty {
            let recorder = Recorder()
            _ = await CommandLineTool.pipectl.run(["help"] + path, recorder.console())
            let other = Recorder()
            _ = await CommandLineTool.pipectl.run(path + ["--help"], other.console())
            #expect(recorder.results == other.results)
            #expect(recorder.results.hasPrefix("pipectl \(path.joined(separator: " ")): "))
        }
    }

    @Test("Every verb has an example, and no line of help is wider than 80 columns")
    func complete() async {
        for path in Self.paths(.pipectl) {
            let recorder = Recorder()
            _ = await CommandLineTool.pipectl.run(["help"] + path, recorder.console())
            #expect(recorder.results.contains("Examples:\n  pipectl") || path == ["completion"])
            for line in recorder.results.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
        }
    }

    @Test("Without a verb the help is shown, with every verb and exit code")
    func root() async {
        let answer = await pipectl()
        #expect(answer.code == .done)
        for command in Command.pipectl.subcommands { #expect(answer.results.contains("  \(command.name) ")) }
        for code in ["  0 ", "  1 ", "  2 ", "  3 ", "  4 ", "  5 ", "  130  "] {
            #expect(answer.results.contains(code))
        }
    }

    @Test("The examples in the help are command lines that parse")
    func examples() throws {
        for path in Self.paths(.pipectl) {
            var command = Command.pipectl
            for name in path { command = try #require(command.subcommand(name)) }
            for example in command.examples {
                // The text before and after a pipe or a redirection belongs to the shell.
                let part = example.command.split(separator: "pipectl ").last ?? ""
                let words = part.prefix { !"|>)".contains($0) }.split(separator: " ").map(String.init)
                #expect(throws: Never.self, "\(example.command)") {
                    _ = try CommandLineParser(tool: .pipectl, root: .pipectl).parse(words)
                }
            }
        }
    }

    @Test("An unknown verb is refused on standard error, with exit code 2")
    func unknown() async {
        let answer = await pipectl("stagse")
        #expect(answer.code == .configuration)
        #expect(answer.results == "")
        #expect(
            answer.messages.hasPrefix("error: unknown verb \"stagse\"\n  = help: did you mean \"pipectl stages\"?\n"))
    }

    @Test("--version prints one line")
    func version() async {
        #expect(await pipectl("--version").results == "pipectl \(CommandLineTool.pipectl.version)\n")
    }

    private static func paths(_ command: Command) -> [[String]] {
        [[]] + command.subcommands.flatMap { child in paths(child).map { [child.name] + $0 } }
    }
}
