import PipelineTesting
import Testing

@testable import Pipeline
@testable import PipelineComponents
@testable import PipelineConfiguration

@Suite("Texts written into a configuration")
struct YAMLScalarTests {
    /// Returns the node at `a` in a configuration.
    private func read(_ yaml: String) throws -> ConfigNode {
        let findings = Findings()
        let (string, text) = ConfigurationText.decode(
            Array(yaml.utf8), file: "", limits: YAMLLimits(), findings: findings)
        let written = try #require(string)
        let composed = try #require(YAMLComposer.compose(written, text, findings: findings))
        let root = Interpolation.apply(to: composed, environment: ["HOME": "/evil"], text: text, findings: findings)
        #expect(findings.diagnostics.isEmpty)
        #expect(root.mapping?.map(\.key) == ["a", "b"])
        return try #require(root["a"])
    }

    private func check(_ text: String) throws {
        let scalar = YAMLScalar.text(text)
        #expect(scalar.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F })
        let listed = try read("a: [\(scalar), c]\nb: 1\n")
        let first = try #require(listed.sequence?.first)
        for node in [try read("a: \(scalar)\nb: 1\n"), first] {
            // Compares scalars, because strings with different scalars are equal if they are canonically equivalent.
            #expect(node.scalar.map { Array($0.text.unicodeScalars) } == Array(text.unicodeScalars), "\(scalar)")
            #expect(!node.isNull)
        }
    }

    @Test(
        "Text written into a configuration is read back unchanged, even if it looks like syntax",
        arguments: [
            "", " ", "a", "@ts", "'q", "\"", "\\", "- a", "a: b", "x #y", "#", "line\nbreak", "\r\n", "\t", "\u{0}",
            "\u{7F}",
            "pts\nstages:\n  - tap #", "null", "~", "true", "No", "12", "-1", ".5", "1e3", "nan", "&a", "*a", "!t", "|",
            ">", "%",
            "{", "}", "[", "]", ",", "?", ":", "$", "$$", "$$$", "${HOME}", "$${HOME}", "a$", "${", "\u{85}",
            "\u{2028}",
            "\u{FEFF}", "\u{FFFE}", "\u{202E}", "\u{9B}31m", "e\u{301}", "\u{301}", "é", "图", "👩‍👩‍👧", "\u{10FFFF}", "---",
            "...",
        ])
    func hostile(text: String) throws { try check(text) }

    @Test("Text written into a configuration is read back unchanged, for random mixtures of special characters")
    func anything() throws {
        var generator = SeededGenerator(seed: 5)
        let pieces: [Unicode.Scalar] = [
            "a", " ", "\n", "\r", ":", "#", "-", "\"", "'", "\\", "$", "{", "}", "[", ",", "\t", "\u{0}", "\u{85}", "é",
            "\u{2029}",
        ]
        for _ in 0..<500 {
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 1...8, using: &generator) {
                text.append(pieces[Int.random(in: 0..<pieces.count, using: &generator)])
            }
            try check(String(text))
        }
    }

    @Test(
        "Text written into a configuration has no quotes when it is a plain word",
        arguments: ["pts", "head.t_ms", "pen/1", "hand-left", "n"])
    func words(text: String) { #expect(YAMLScalar.text(text) == text) }
}
