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

    @Test("calls the program as it is to be called")
    func command() throws {
        let words = try value("ExecStart").split(separator: " ").map(String.init)
        #expect(words[0] == "@bindir@/pipectl")
        let invocation = try CommandLineParser(tool: .pipectl, root: .pipectl).parse(Array(words.dropFirst()))
        #expect(invocation.fullName == "pipectl run")
        #expect(invocation.words == ["/etc/pipeline/%i.yaml"])
        // What is wrong stays wrong.
        #expect(try value("RestartPreventExitStatus") == "\(ExitCode.configuration.rawValue)")
    }

    @Test("is accepted by systemd, where it is there")
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
