import PipelineTesting
import Testing

@testable import pipectl

@Suite("The program as a process")
struct ProcessTests {
    @Test("A wrong command line ends with 2, and says why on standard error alone")
    func usage() async throws {
        let ending = try await Program.run("stages", "--formt=json")
        #expect(ending.code == 2)
        #expect(ending.results == "")
        #expect(ending.messages.hasPrefix("error: unknown flag \"--formt\"\n  = help: did you mean \"--format\"?\n"))
    }

    @Test("A reader that leaves early is a silent success")
    func closedPipe() async throws {
        let ending = try await Program.shell(
            "\"$0\" completion fish | head -n 1; echo ${PIPESTATUS[0]}", [try Program.path()])
        #expect(ending.results == "# Written by: pipectl completion\n0\n")
        #expect(ending.messages == "")
    }

    @Test("A reader that leaves a run early ends it well, however long what is under way would take")
    func closedPipeOfRun() async throws {
        let folder = try TemporaryFolder()
        // What waits in the edges when the reader goes takes many times as long as a shutdown may.
        try folder.write(
            "slow.yaml",
            """
            version: 1
            shutdown_timeout_ms: 500
            sources:
              - synthetic: { count: 2000 }
            stages:
              - resample: { id: fine, points: 65536 }
              - resample: { id: again, points: 65535 }
              - resample: { points: 16 }
            sinks:
              - stdout: { format: jsonl }
            """)
        let ending = try await Program.shell(
            "\"$0\" run slow.yaml | head -n 1; echo ${PIPESTATUS[0]}", [try Program.path()], folder: folder.path)
        let lines = ending.results.split(separator: "\n")
        #expect(lines.count == 2 && lines.last == "0")
        #expect(lines.first?.hasPrefix(#"{"v":1,"kind":"stroke""#) ?? false)
        #expect(ending.messages.contains("ledger: every frame is accounted for"))
        #expect(!ending.messages.contains("error"))
    }

    @Test("The bash completion offers verbs, flags, choices and names")
    func completion() async throws {
        let script = """
            source <("$0" completion bash)
            offer() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _pipectl; echo "${COMPREPLY[*]}"; }
            offer pipectl comp
            offer pipectl stages --f
            offer pipectl stages --format ''
            offer pipectl stages --format = m
            offer pipectl completion ''
            """
        let ending = try await Program.shell(script, [try Program.path()])
        #expect(ending.messages == "")
        #expect(ending.results == "completion\n--format\ntext json markdown\nmarkdown\nbash zsh fish\n")
    }
}
