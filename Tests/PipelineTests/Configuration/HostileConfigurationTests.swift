import Testing

@testable import Pipeline
@testable import PipelineComponents
@testable import PipelineConfiguration

@Suite("Hostile configurations")
struct HostileConfigurationTests {
    private func codes(_ text: String) -> [String] {
        PipelineLoader(registry: .small).load(text: text, name: "p.yaml").diagnostics.map(\.code)
    }

    private func codes(_ bytes: [UInt8]) -> [String] {
        PipelineLoader(registry: .small).load(bytes: bytes, name: "p.yaml").diagnostics.map(\.code)
    }

    @Test(
        "Hostile configurations: nesting a hundred thousand levels deep is refused before it is read",
        arguments: ["[", "{", "- ", "? ", "a: [", "[\n", "{a: ", "- ? ", "&a [", "!t ["])
    func refusesDepth(_ opening: String) {
        let found = codes(String(repeating: opening, count: 100_000))
        #expect(found.last == "yaml.too_deep")
        #expect(found.count <= 65)
    }

    @Test("Hostile configurations: sixty-four levels are read, sixty-five are not")
    func countsDepth() {
        func nested(_ levels: Int) -> [String] {
            codes(
                "version: 1\nsources: [count]\nsinks: [print]\nx: "
                    + String(repeating: "[", count: levels) + String(repeating: "]", count: levels))
        }
        // The top level counts as one level.
        #expect(nested(63) == ["option.unknown"])
        #expect(nested(64) == ["yaml.too_deep"])
    }

    @Test("Hostile configurations: nesting inside an alias counts toward the depth")
    func countsDepthBehindAlias() {
        var text = "a0: &a0 [x]\n"
        for level in 1...70 { text += "a\(level): &a\(level) [*a\(level - 1)]\n" }
        #expect(codes(text) == ["yaml.too_deep"])
    }

    @Test("Hostile configurations: aliases of aliases are counted without being expanded", arguments: [10, 30, 60])
    func refusesBomb(_ width: Int) {
        var text = "a0: &a0 [x, x]\n"
        for level in 1...60 {
            let uses = Array(repeating: "*a\(level - 1)", count: width).joined(separator: ", ")
            text += "a\(level): &a\(level) { k: [\(uses)] }\n"
        }
        #expect(codes(text) == ["yaml.too_many_nodes"])
    }

    @Test("Hostile configurations: a wide list is refused by its number of nodes")
    func refusesWidth() {
        #expect(codes("a: [" + String(repeating: "x,", count: 200_000) + "]") == ["yaml.too_many_nodes"])
    }

    @Test("Hostile configurations: ten megabytes are refused by their size alone")
    func refusesSize() {
        #expect(codes([UInt8](repeating: 0x23, count: 10 << 20)) == ["yaml.too_large"])
    }

    @Test("Hostile configurations: a hundred kilobytes of one repeated piece of syntax are refused")
    func survivesRepetition() {
        let limit = 100_000
        for piece in [
            "#", "a", "\"", "'", "a: ", "? ", ": ", "*a ", "&a ", "!!str ", "|\n", "%YAML 1.2\n", "--- ", "\n", "\r",
        ] {
            let count = limit / piece.utf8.count
            #expect(!codes(String(repeating: piece, count: count)).isEmpty, "\(piece)")
        }
    }

    @Test("Hostile configurations: of many duplicate keys, all are counted and some are shown")
    func limitsFindings() {
        let loaded = PipelineLoader(registry: .small)
            .load(text: String(repeating: "a: 1\n", count: 40_000), name: "p.yaml")
        #expect(loaded.diagnostics.count { $0.code == "yaml.duplicate_key" } == 39_999)
        let text = DiagnosticRenderer(texts: loaded.texts).render(loaded.diagnostics)
        #expect(text.utf8.count < 50_000)
        #expect(text.contains("more\n"))
    }

    @Test("Hostile configurations: more than a thousand components are refused")
    func refusesCrowd() {
        let text = "version: 1\nsources: [count]\nstages:\n" + String(repeating: "  - tap\n", count: 30_000)
        #expect(codes(text) == ["config.too_many_components"])
    }

    enum Crowd: CaseIterable {
        case references, options, aliases, sources, keys

        var text: String {
            func list(_ count: Int, _ item: (Int) -> String) -> String { (0..<count).map(item).joined(separator: ", ") }
            return switch self {
            case .references: "sources: [count]\nsinks: [print: { from: [\(list(20_000) { "c\($0)" })] }]"
            case .options: "sources: [count]\nstages: [scale: { \(list(20_000) { "factor\($0): 1" }) }]"
            case .aliases: "{ a: [\(list(10_000) { "&a\($0) x" })], b: [\(list(10_000) { "*b\($0)" })] }"
            case .sources: "sources: [\(list(900) { "count: { id: s\($0) }" })]\nsinks: [print: { from: x }]"
            case .keys: "{ \(list(20_000) { "sourced\($0): 1" }) }"
            }
        }
    }

    @Test(
        "Hostile configurations: a crowd of wrong references, options or keys does not crash the loader",
        arguments: Crowd.allCases)
    func survivesCrowd(_ crowd: Crowd) {
        #expect(codes(crowd.text).contains { $0 == "graph.unknown_id" || $0 == "option.unknown" })
    }

    @Test("Hostile configurations: the time to check a timeline grows with its length", .timeLimit(.minutes(1)))
    func readsLongTimeline() {
        let timeline = String(repeating: "a", count: 200_000)
        let text = """
            version: 1
            sources: [count]
            sinks: [print]
            tests:
              - { name: long, legend: { a: { value: 1 } }, out: { print: \(timeline) } }
            """
        #expect(codes(text).isEmpty)
    }

    @Test("Hostile configurations: random bytes never crash the loader", arguments: 0..<8)
    func survivesBytes(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<400 {
            let bytes = (0..<Int.random(in: 0...200, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            let loaded = PipelineLoader(registry: .small).load(bytes: bytes, name: "p.yaml")
            #expect(loaded.plan == nil)
            #expect(!DiagnosticRenderer(texts: loaded.texts, width: 40).render(loaded.diagnostics).isEmpty)
        }
    }

    @Test("Hostile configurations: pieces of YAML in any order never crash the loader", arguments: 0..<8)
    func survivesPieces(_ seed: UInt64) {
        let pieces = [
            "version: 1\n", "sources:", "stages:", "sinks:", "count", "scale", "print", "tap", "spell", ": ", "- ",
            "\n", "  ",
            "    ", "{", "}", "[", "]", ", ", "from: ", "id: ", "a", "on_error: route", "&x ", "*x", "!!int ", "\"",
            "'", "#",
            "|\n", ">-\n", "? ", "${A}", "${", "$$", "capacity: 3", ".errors", "factor: 2", "\t", "é", "日本", "\r\n",
            "---\n",
            "~", "<<: ", "1e9", "limits: ", "null",
        ]
        var random = SeededGenerator(seed: seed)
        for _ in 0..<400 {
            let text = (0..<Int.random(in: 1...40, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }
            let loaded = PipelineLoader(registry: .small, overrides: ["count.limit=3"])
                .load(text: text.joined(), name: "p.yaml")
            #expect((loaded.plan == nil) == loaded.diagnostics.contains { $0.severity == .error })
            _ = DiagnosticRenderer(texts: loaded.texts, usesColor: true, width: 20).render(loaded.diagnostics)
            _ = Diagnostic.report(loaded.diagnostics).text()
        }
    }

    @Test(
        "Hostile configurations: a valid configuration with one byte changed is refused or read, never a crash",
        arguments: 0..<4)
    func survivesMutation(_ seed: UInt64) {
        let valid = Array(
            """
            version: 1
            sources: [{ count: { limit: 3, id: "a" } }]
            stages:
              - scale: { factor: 2, limits: { low: 0, high: 1 }, from: [{ id: a, capacity: 3 }] }
              - tap: &t { on_error: route }
            sinks:
              - print
              - print: { id: errors, from: tap.errors }
            """.utf8)
        var random = SeededGenerator(seed: seed)
        for _ in 0..<400 {
            var bytes = valid
            bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            let loaded = PipelineLoader(registry: .small).load(bytes: bytes, name: "p.yaml")
            #expect((loaded.plan == nil) == loaded.diagnostics.contains { $0.severity == .error })
        }
    }
}

/// SplitMix64 (Steele, Lea and Flood 2014).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
