import Testing

@testable import Pipeline
@testable import PipelineComponents
@testable import PipelineConfiguration

@Suite("Reading YAML")
struct YAMLComposerTests {
    private func compose(_ text: String) throws -> ConfigNode {
        let findings = Findings()
        let node = YAMLComposer.compose(text, SourceText(file: "t", text: text), findings: findings)
        #expect(findings.diagnostics.map(\.message) == [])
        return try #require(node)
    }

    private func place(_ node: ConfigNode?) -> String {
        node.map { "\($0.span.start.line):\($0.span.start.column)-\($0.span.end.line):\($0.span.end.column)" } ?? "none"
    }

    @Test("YAML: the position of a node is counted in Unicode scalars")
    func places() throws {
        let root = try compose("a: é日本\nb:\n  - 'x y'\n  - {c: [1, 2]}\nd: |\n  text\n  more\ne: 👍🏽 z\n")
        #expect(place(root["a"]) == "1:4-1:7")
        #expect(place(root["b"]) == "3:3-4:16")
        #expect(place(root["b"]?.sequence?[0]) == "3:5-3:10")
        #expect(place(root["b"]?.sequence?[1]["c"]) == "4:9-4:15")
        #expect(root["d"]?.scalar?.text == "text\nmore\n")
        // The thumb with a skin tone consists of two Unicode scalars.
        #expect(place(root["e"]) == "8:4-8:8")
    }

    @Test("YAML: lines are counted as an editor counts them, after CRLF, CR and NEL alike")
    func lines() throws {
        let root = try compose("a: 1\r\nb: 2\rc: \"x\u{85}y\"\nd: 4\n")
        #expect(place(root["b"]) == "2:4-2:5")
        #expect(root["d"]?.span.start == SourcePosition(line: 4, column: 4))
    }

    @Test("YAML: only a plain scalar may be a number or boolean, unless a tag says so")
    func plainness() throws {
        let root = try compose("a: 1\nb: '1'\nc: !!int '1'\nd: !!str 1\ne: ! 1\nf: !!float \"2\"\n")
        #expect("abcdef".map { root[String($0)]?.scalar?.isPlain } == [true, false, true, false, false, true])
    }

    @Test("YAML: only true and false are booleans")
    func booleans() throws {
        let root = try compose("[true, False, TRUE, yes, no, on, 'true', 1]")
        let context = DecodingContext(findings: Findings(), path: "", baseDirectory: ".")
        #expect(root.sequence?.map { Bool.decode($0, context) } == [true, false, true, nil, nil, nil, nil, nil])
    }

    @Test("YAML: an alias stands for the last node above it whose anchor has this name")
    func aliases() throws {
        let root = try compose("a: &x {k: 1}\nb: *x\nc: &x 2\nd: *x\n")
        #expect(root["b"]?["k"]?.scalar?.text == "1")
        #expect(root["d"]?.scalar?.text == "2")
    }

    @Test("YAML: an override changes one option and leaves the others")
    func settings() throws {
        let findings = Findings()
        let root = try compose(
            "stages:\n  - gate:\n      id: g\n      landmarks: { threshold: 0.1, all: true }\n  - tap\nname: a\n")
        let changed = Overrides.apply(
            ["g.landmarks.threshold=0.3", "tap.list=[1, \"a b\"]", "name=b=c", "tap.note=: *x"], to: root,
            limits: YAMLLimits(), findings: findings)
        #expect(findings.diagnostics.map(\.message) == [])
        let gate = changed["stages"]?.sequence?[0]["gate"]
        #expect(gate?["landmarks"]?["threshold"]?.scalar?.text == "0.3")
        #expect(gate?["landmarks"]?["all"]?.scalar?.text == "true")
        #expect(gate?["id"]?.scalar?.text == "g")
        let tap = changed["stages"]?.sequence?[1]["tap"]
        #expect(tap?["list"]?.sequence?.map { $0.scalar?.text } == ["1", "a b"])
        #expect(tap?["note"]?.scalar?.text == ": *x")
        #expect(changed["name"]?.scalar?.text == "b=c")
    }

    @Test("YAML: an override into a list is refused, and one into a scalar replaces it")
    func settingsInside() throws {
        let findings = Findings()
        let root = try compose("stages:\n  - each: { stages: [smooth] }\n  - tap: { from: each }\n")
        let changed = Overrides.apply(
            ["each.stages.0.beta=1", "tap.from.capacity=5"], to: root, limits: YAMLLimits(), findings: findings)
        #expect(findings.diagnostics.map(\.message) == ["\"stages\" is a list, so nothing in it has a name"])
        #expect(findings.diagnostics.map(\.help) == ["name a stage by its id, as in --set resample.points=32"])
        #expect(changed["stages"]?.sequence?[0]["each"]?["stages"]?.sequence?.count == 1)
        let from = try #require(changed["stages"]?.sequence?[1]["tap"]?["from"])
        #expect(from.mapping?.map(\.key) == ["capacity"])
        // The second override begins on the second line, and its second name is "from".
        #expect(place(from) == "2:5-2:9" && from.span.isOverride)
    }
}

@Suite("Variables")
struct InterpolationTests {
    private static let environment = ["PORT": "5555", "EMPTY": "", "A": "x: [y]", "N": "null"]

    private func value(_ yaml: String) throws -> ConfigNode {
        let text = SourceText(file: "t", text: yaml)
        let findings = Findings()
        let root = try #require(YAMLComposer.compose(yaml, text, findings: findings))
        let node = Interpolation.apply(to: root, environment: Self.environment, text: text, findings: findings)
        #expect(findings.diagnostics.map(\.message) == [])
        return node
    }

    @Test(
        "Variables are replaced as a shell would replace them",
        arguments: [
            ("tcp://*:${PORT}/x", "tcp://*:5555/x"), ("${PORT}${PORT}", "55555555"), ("${NOT_SET:-7}", "7"),
            ("${EMPTY:-7}", "7"), ("a${EMPTY}b", "ab"), ("${NOT_SET:-}x", "x"), ("$$5", "$5"), ("$${PORT}", "${PORT}"),
            ("$", "$"), ("5$", "5$"), ("$PORT", "$PORT"), ("a$b", "a$b"), ("${NOT_SET:-a:-b}", "a:-b"),
            ("${A}", "x: [y]"),
        ])
    func putIn(_ written: String, _ expected: String) throws {
        #expect(try value("\"\(written)\"").scalar?.text == expected)
    }

    @Test("Variables keep a value readable as a number, quoted or not")
    func keepsNumbers() throws {
        let context = DecodingContext(findings: Findings(), path: "", baseDirectory: ".")
        #expect(Int.decode(try value("${PORT}"), context) == 5555)
        #expect(Int.decode(try value("\"${PORT}\""), context) == 5555)
        #expect(Int.decode(try value("\"5555\""), context) == nil)
        // A quoted string remains a string, even if the inserted text would mean null.
        #expect(String.decode(try value("\"${N}\""), context) == "null")
        #expect(String.decode(try value("\"${EMPTY}\""), context)?.isEmpty == true)
    }

    @Test("Variables are left alone in keys")
    func leavesKeys() throws {
        #expect(try value("${PORT}: 1").mapping?.first?.key == "${PORT}")
    }
}
