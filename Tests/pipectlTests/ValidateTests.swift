import Foundation
import PipelineTesting
import Testing

@testable import pipectl

@Suite("validate")
struct ValidateTests {
    private let wrong = """
        version: 1
        sources:
          - fiel: { path: a.jsonl }
        sinks: [nowhere]

        """

    @Test("All findings are shown as results, each under its line, and the exit code is 2")
    func human() async throws {
        let folder = try TemporaryFolder()
        try folder.write("wrong.yaml", wrong)
        let ending = try await Program.run("validate", "wrong.yaml", folder: folder.path)
        #expect(ending.code == 2)
        #expect(ending.results.contains(" --> wrong.yaml:3:5\n  |\n3 |   - fiel: { path: a.jsonl }\n  |     ^^^^"))
        #expect(ending.results.contains(" --> wrong.yaml:4:9\n"))
        #expect(ending.results.hasSuffix("\n2 errors\n"))
        #expect(ending.messages == "")
    }

    @Test("A pipe is no recording: what comes over standard input may be live")
    func liveStandardInput() async throws {
        let folder = try TemporaryFolder()
        try folder.write("live.yaml", "version: 1\nmode: live\nsources: [stdin]\nstages: [tap]\nsinks: [stdout]\n")
        let ending = try await Program.run("validate", "live.yaml", folder: folder.path)
        #expect(ending.code == 0)
        #expect(!ending.results.contains("warning"), "\(ending.results)")
    }

    @Test("The same findings as data, with places")
    func data() async throws {
        let folder = try TemporaryFolder()
        try folder.write("wrong.yaml", wrong)
        let ending = try await Program.run("validate", "--format=json", "wrong.yaml", folder: folder.path)
        #expect(ending.code == 2)
        let report = try #require(
            try JSONSerialization.jsonObject(with: Data(ending.results.utf8)) as? [String: Any])
        #expect(report["version"] as? Int == 1)
        #expect(report["errors"] as? Int == 2)
        let findings = try #require(report["diagnostics"] as? [[String: Any]])
        #expect(findings.map { $0["line"] as? Int } == [3, 4])
        #expect(findings.map { $0["column"] as? Int } == [5, 9])
        #expect(findings.map { $0["path"] as? String } == ["sources[0].fiel", "sinks[0].nowhere"])
    }

    @Test("A file that is not there is the environment's fault, and the other files are still checked")
    func missing() async throws {
        let folder = try TemporaryFolder()
        try folder.write("wrong.yaml", wrong)
        let alone = try await Program.run("validate", "none.yaml", folder: folder.path)
        #expect(alone.code == 3)
        #expect(alone.results == "error[config.not_found]: there is no file none.yaml\n\n1 error\n")
        let both = try await Program.run("validate", "none.yaml", "wrong.yaml", folder: folder.path)
        #expect(both.code == 2)
        #expect(both.results.contains("none.yaml") && both.results.contains("wrong.yaml:3:5"))
    }

    @Test("A folder in a file's place is the environment's fault")
    func directory() async throws {
        let folder = try TemporaryFolder()
        let ending = try await Program.run("validate", folder.path)
        #expect(ending.code == 3)
        #expect(ending.results.contains("is a directory, not a configuration"))
    }
}
