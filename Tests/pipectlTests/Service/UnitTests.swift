import Foundation
import PipelineTesting
import Testing

@testable import PipelineCommand

@Suite("The unit of systemd")
struct UnitTests {
    private let unit: String

    init() throws { unit = try Repository.read("packaging/pipeline@.service") }

    private func value(_ key: String) throws -> String {
        let line = try #require(unit.split(separator: "\n").first { $0.hasPrefix("\(key)=") })
        return String(line.dropFirst(key.count + 1))
    }

    @Test("The unit of systemd starts the program with a valid command line")
    func command() throws {
        let words = try value("ExecStart").split(separator: " ").map(String.init)
        #expect(words[0] == "@bindir@/pipectl")
        let invocation = try CommandLineParser(tool: .pipectl, root: .pipectl).parse(Array(words.dropFirst()))
        #expect(invocation.fullName == "pipectl run")
        #expect(invocation.words == ["/etc/pipeline/%i.yaml"])
        // An invalid configuration stays invalid, so the service is not restarted.
        #expect(try value("RestartPreventExitStatus") == "\(ExitCode.configuration.rawValue)")
    }

    @Test("The unit of systemd comes with a valid example, and with the gesture library of the example")
    func example() async throws {
        let shapes = try Repository.read("packaging/shapes.json")
        #expect(try shapes == Repository.read("Samples/shapes.json"))
        let folder = try TemporaryFolder()
        try folder.write("example.yaml", try Repository.read("packaging/example.yaml"))
        try folder.write("shapes.json", shapes)
        let ending = try await Program.run("validate", "example.yaml", folder: folder.path)
        #expect(ending.code == 0, "\(ending.messages)")
        // systemd waits longer than the run may take to end.
        let example = try Repository.read("packaging/example.yaml")
        let shutdown = try #require(example.firstMatch(of: /shutdown_timeout_ms: ([0-9]+)/).flatMap { Int($0.1) })
        let patience = try #require(try value("TimeoutStopSec").wholeMatch(of: /([0-9]+)s/).flatMap { Int($0.1) })
        #expect(shutdown < patience * 1000)
    }

    @Test("The unit of systemd passes systemd-analyze, if it is installed")
    func verified() async throws {
        let folder = try TemporaryFolder()
        try folder.write(
            "pipeline@example.service", unit.replacing("@bindir@/pipectl", with: try Program.path()))
        let ending = try await Program.shell(
            "if command -v systemd-analyze >/dev/null; then systemd-analyze verify --man=no ./pipeline@example.service; fi",
            [], folder: folder.path)
        #expect(ending.code == 0 && ending.results == "" && ending.messages == "", "\(ending.messages)")
    }
}
