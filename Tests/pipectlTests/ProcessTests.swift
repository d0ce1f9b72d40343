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
