import Foundation
import PipelineTesting
import Testing

@testable import Pipeline
@testable import PipelineComponents
@testable import PipelineConfiguration

@Suite("Findings as data")
struct DiagnosticReportTests {
    @Test(
        "Findings: the report is JSON with the code, message and position of each finding",
        arguments: GoldenFindings.all)
    func isJSON(_ golden: GoldenFindings) throws {
        let loaded = golden.loaded
        let text = Diagnostic.report(loaded.diagnostics).text()
        let report = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let list = try #require(report["diagnostics"] as? [[String: Any]])
        #expect(report["version"] as? Int == 1)
        #expect(list.count == loaded.diagnostics.count)
        #expect(report["errors"] as? Int == list.count { $0["severity"] as? String == "error" })
        for (item, diagnostic) in zip(list, loaded.diagnostics) {
            #expect(item["code"] as? String == diagnostic.code)
            #expect(item["message"] as? String == diagnostic.message)
            #expect(item["line"] as? Int == diagnostic.span?.start.line)
            #expect(item["end_column"] as? Int == diagnostic.span?.end.column)
        }
    }

    @Test("Findings: applying a fix removes its finding, and causes no error of syntax", arguments: GoldenFindings.all)
    func fixesWork(_ golden: GoldenFindings) throws {
        guard let original = String(validating: golden.bytes, as: UTF8.self), !original.hasPrefix("\u{FEFF}") else {
            return
        }
        let loader = PipelineLoader(registry: .small)
        let before = loader.load(text: original, name: "p.yaml")
        for diagnostic in before.diagnostics {
            guard let fix = diagnostic.fix, fix.span.file == "p.yaml", let text = before.texts.first else { continue }
            var scalars = Array(original.unicodeScalars)
            scalars.replaceSubrange(
                text.offset(of: fix.span.start)..<text.offset(of: fix.span.end), with: fix.replacement.unicodeScalars)
            var mended = String.UnicodeScalarView()
            mended.append(contentsOf: scalars)
            let after = loader.load(text: String(mended), name: "p.yaml")
            #expect(!after.diagnostics.contains { $0.code.hasPrefix("yaml.") && $0.code != "yaml.tag" })
            #expect(
                after.diagnostics.count { $0.code == diagnostic.code && $0.message == diagnostic.message }
                    < before.diagnostics.count { $0.code == diagnostic.code && $0.message == diagnostic.message },
                "\(fix.title): \(String(mended))")
        }
    }

    @Test("Findings: a missing file, or a directory, is a problem of the environment")
    func environment() throws {
        let loader = PipelineLoader(registry: .small)
        let temporary = try TemporaryFolder()
        let folder = temporary.path
        try temporary.write("reads.yaml", "version: 1\nsources:\n  - missing: { path: numbers.txt }\nsinks: [print]\n")
        for (path, code) in [(folder + "/nowhere.yaml", "file.not_found"), (folder, "file.directory")] {
            let loaded = loader.load(file: path)
            #expect(loaded.diagnostics.map(\.code) == [code])
            #expect(loaded.isEnvironmentProblem)
        }
        let missing = loader.load(file: folder + "/reads.yaml")
        #expect(missing.isEnvironmentProblem)
        #expect(missing.diagnostics.map(\.message) == ["there is no file \(folder)/numbers.txt"])
    }

    @Test("Findings: colored text differs from plain text only by escape sequences")
    func color() {
        let loaded = PipelineLoader(registry: .small).load(text: "version: 3\nsources: [cuont]\n", name: "p.yaml")
        let plain = DiagnosticRenderer(texts: loaded.texts).render(loaded.diagnostics)
        let colored = DiagnosticRenderer(texts: loaded.texts, usesColor: true).render(loaded.diagnostics)
        #expect(colored.contains("\u{1B}[1;31merror[config.version]\u{1B}[0m"))
        #expect(colored.replacing(#/\u{1B}\[[0-9;]*m/#, with: "") == plain)
    }
}
