import Foundation
import PipelineTesting
import Testing

@testable import PipelineCommand

@Suite("The manual page")
struct ManualPageTests {
    /// Returns a page with its escapes replaced by the characters that they stand for, without paragraph requests, on one line.
    private static func plain(_ page: String) -> String {
        page.replacing("\\-", with: "-").replacing("\\(aq", with: "'").replacing("\\(dq", with: "\"")
            .replacing("\\(ti", with: "~").replacing("\\(ga", with: "`").replacing("\\(ha", with: "^")
            .replacing("\\[u00B5]", with: "µ").replacing("\\[u00D7]", with: "×").replacing("\\e", with: "\\").replacing(
                "...", with: "…"
            )
            .split(separator: "\n").filter { $0 != ".PP" }.joined(separator: "\n")
            .split(separator: /\s+/).joined(separator: " ")
    }

    @Test("The manual page has every verb with its flags and examples, every exit code and every variable")
    func complete() async {
        let answer = await pipectl("help", "--man")
        #expect(answer.code == .done && answer.messages == "")
        let text = Self.plain(answer.results)
        func check(_ words: String) {
            guard !words.isEmpty else { return }
            #expect(text.contains(words.split(separator: /\s+/).joined(separator: " ")), "\(words)")
        }
        func check(_ command: Command, _ path: [String]) {
            check(".SS \"\(path.joined(separator: " "))\"")
            for paragraph in command.details.split(separator: "\n") { check(String(paragraph)) }
            for flag in command.flags { check("--\(flag.name)") }
            for flag in command.flags { check(flag.summary) }
            for argument in command.arguments { check(argument.summary) }
            for example in command.examples where command.subcommands.isEmpty { check(example.command) }
            for child in command.subcommands { check(child, path + [child.name]) }
        }
        for verb in Command.pipectl.subcommands { check(verb, [verb.name]) }
        for code in ExitCode.allCases { check(".B \(code.rawValue) \(code.meaning)") }
        for variable in EnvironmentVariable.all { check(".B \(variable.name) \(variable.meaning)") }
        #expect(answer.results.allSatisfy { $0.isASCII })
    }

    @Test("The manual page passes groff and mandoc without a warning, if they are installed")
    func lint() async throws {
        let folder = try TemporaryFolder()
        let ending = try await Program.shell(
            """
            "$0" help --man >pipectl.1 || exit 9
            if command -v groff >/dev/null; then groff -man -ww -Tutf8 -z pipectl.1; groff -man -ww -Tascii -z pipectl.1; fi
            if command -v mandoc >/dev/null; then mandoc -Tlint -Wwarning pipectl.1; fi
            """, [try Program.path()], folder: folder.path)
        #expect(ending.code == 0)
        #expect(ending.results == "" && ending.messages == "")
    }

    @Test("A custom program has its own manual page, and a verb has none")
    func others() async {
        let recorder = Recorder()
        _ = await CommandLineTool("custom", version: "3.2.1").run(["help", "--man"], recorder.console())
        #expect(recorder.results.contains(".TH CUSTOM 1 "))
        #expect(recorder.results.contains("\"custom 3.2.1\""))
        #expect(!recorder.results.contains("pipectl"))
        let answer = await pipectl("help", "--man", "run")
        #expect(answer.code == .configuration)
        #expect(answer.messages.contains("--man writes the page of the whole program"))
    }
}
