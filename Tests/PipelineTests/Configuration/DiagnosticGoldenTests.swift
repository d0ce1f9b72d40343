import Foundation
import Testing

@testable import Pipeline

/// Every bad configuration in `Diagnostics/` beside the whole text that a person sees for it.
///
/// A comment at its beginning may give variables and settings: `# env: NAME=value`, `# set: ID.OPTION=VALUE`. After a
/// change of wording run with `UPDATE_GOLDEN=1`, and read every difference.
@Suite("Diagnostics, whole")
struct DiagnosticGoldenTests {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Diagnostics")

    static let names: [String] = {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return files.filter { $0.hasSuffix(".yaml") }.map { String($0.dropLast(5)) }.sorted()
    }()

    private func load(_ name: String) throws -> LoadedPipeline {
        let bytes = Array(try Data(contentsOf: Self.folder.appending(path: name + ".yaml")))
        var environment: [String: String] = [:]
        var settings: [String] = []
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            if line.hasPrefix("# env: "), let equals = line.firstIndex(of: "=") {
                environment[String(line[..<equals].dropFirst(7))] = String(line[line.index(after: equals)...])
            } else if line.hasPrefix("# set: ") {
                settings.append(String(line.dropFirst(7)))
            } else {
                break
            }
        }
        return PipelineLoader(registry: .small, environment: environment, settings: settings)
            .load(bytes: bytes, name: name + ".yaml")
    }

    @Test("each bad configuration gives the findings written beside it", arguments: names)
    func matchesGolden(_ name: String) throws {
        let loaded = try load(name)
        let text = DiagnosticRenderer(texts: loaded.texts).render(loaded.diagnostics)
        let golden = Self.folder.appending(path: name + ".txt")
        if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" {
            try Data(text.utf8).write(to: golden)
        }
        let expected = String(decoding: try Data(contentsOf: golden), as: UTF8.self)
        #expect(text == expected)
        #expect(!loaded.diagnostics.isEmpty)
        #expect((loaded.plan == nil) == loaded.diagnostics.contains { $0.severity == .error })
    }

    @Test("every finding stands inside its text, and every fix as well", arguments: names)
    func standsInText(_ name: String) throws {
        let loaded = try load(name)
        for diagnostic in loaded.diagnostics {
            for span in [diagnostic.span, diagnostic.fix?.span].compactMap({ $0 }) {
                let text = try #require(loaded.texts.first { $0.file == span.file })
                #expect(span.start <= span.end)
                #expect(span.end.line <= text.lineCount)
                #expect(span.end.column <= text.line(span.end.line).count + 1)
            }
        }
    }

    @Test("there are at least forty bad configurations")
    func areMany() { #expect(Self.names.count >= 40) }
}
