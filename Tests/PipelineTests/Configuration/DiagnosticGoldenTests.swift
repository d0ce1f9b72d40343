import Testing

@testable import Pipeline
@testable import PipelineComponents
@testable import PipelineConfiguration

@Suite("The complete findings of invalid configurations")
struct DiagnosticGoldenTests {
    @Test("An invalid configuration gives the findings and fixes that its page shows", arguments: GoldenFindings.all)
    func matchesPage(_ golden: GoldenFindings) {
        #expect(golden.found == golden.shown)
        let loaded = golden.loaded
        #expect(!loaded.diagnostics.isEmpty)
        #expect((loaded.plan == nil) == loaded.diagnostics.contains { $0.severity == .error })
    }

    @Test("Every finding and every fix has a place inside the text of its configuration", arguments: GoldenFindings.all)
    func isInsideText(_ golden: GoldenFindings) throws {
        let loaded = golden.loaded
        for diagnostic in loaded.diagnostics {
            for span in [diagnostic.span, diagnostic.fix?.span].compactMap({ $0 }) {
                let text = try #require(loaded.texts.first { $0.file == span.file })
                #expect(span.start <= span.end)
                #expect(span.end.line <= text.lineCount)
                #expect(span.end.column <= text.line(span.end.line).count + 1)
            }
        }
    }

    @Test("Every heading on the pages of findings has a configuration, and a heading without one is reported")
    func areAllRead() {
        #expect(GoldenFindings.unreadable == [])
        let good = "## A\n\n```yaml\na: 1\n```\n\n```text\nb\n```\n"
        let page = "# Page\n\n\(good)\n## B\n\n```yaml\na: 1\n\n## C\n\nno configuration\n"
        let found = GoldenFindings.read(page, "page.md")
        #expect(found.configurations.map(\.heading) == ["A"])
        #expect(found.unreadable == ["page.md: B", "page.md: C"])
    }

    @Test("The pages of findings contain at least ninety invalid configurations, each with its own heading")
    func areMany() {
        #expect(GoldenFindings.all.count >= 90)
        #expect(Set(GoldenFindings.all.map(\.testDescription)).count == GoldenFindings.all.count)
    }
}
