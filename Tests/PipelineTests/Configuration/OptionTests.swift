import Testing

@testable import Pipeline
@testable import PipelineComponents
@testable import PipelineConfiguration

@Suite("Options are declared once, on their properties")
struct OptionTests {
    struct Window: OptionGroup {
        @Option("First place.", in: 0...10) var first = 2
        @Option("Last place.", in: 0...10) var last = 8
    }

    struct Timing: SharedOptions {
        static let title = "Timing options"
        @Option("Time to wait.", in: 0...1000) var holdMs = 20.0

        func check(_ node: ConfigNode, _ context: DecodingContext) {
            if holdMs == 13 {
                context.findings.error("timing.unlucky", "13 is unlucky", at: node.span, path: context.path)
            }
        }
    }

    enum Corner: String, OptionChoice { case round, sharp }

    struct Sample: ComponentOptions {
        @Option("Number of points.", in: 2...64) var points = 16
        var timing = Timing()
        @Option("Least score.", in: 0...1, example: "0.5") var minScore: Double?
        @Option("Form of corners.") var corner = Corner.round
        @Option("Sampling rate.", name: "rate_hz", in: 1...1000) var samplesPerSecond = 60.0
        @Option("Part to look at.") var window = Window()
        @Option("Name of the thing.", isRequired: true, example: "pen") var name = ""
        /// Can only be set by programs.
        var isQuiet = false
    }

    private func decode(_ yaml: String) throws -> (options: Sample, findings: [Diagnostic]) {
        let findings = Findings()
        let context = DecodingContext(findings: findings, path: "x", baseDirectory: ".")
        let options: Sample = Sample.decode(try #require(ConfigNode.parse(yaml: yaml)), context)
        return (options, findings.diagnostics)
    }

    @Test("Options: names, order, defaults and units come from the properties")
    func description() {
        let options = Sample.options
        #expect(
            options.map(\.name) == ["points", "hold_ms", "min_score", "corner", "rate_hz", "window", "name"])
        #expect(options.map(\.defaultYAML) == ["16", "20", nil, "round", "60", nil, nil])
        #expect(options.map(\.unit) == [nil, "ms", nil, nil, "Hz", nil, nil])
        #expect(options[1].type == "number, 0 … 1000 ms")
        #expect(options.map(\.isRequired) == [false, false, false, false, false, false, true])
        #expect(options.map(\.section) == [nil, "Timing options", nil, nil, nil, nil, nil])
        #expect(options[0].schema == .integer(min: 2, max: 64))
        #expect(options[2].schema == .number(min: 0, max: 1))
        #expect(options[2].example == "0.5")
        #expect(Sample.options == options)
    }

    @Test("Options: a configuration sets the options that it names, and the others keep their defaults")
    func decoding() throws {
        let (options, findings) = try decode(
            "{ name: pen, points: 3, hold_ms: 5.5, rate_hz: 120, window: { last: 4 }, corner: sharp, min_score: 0.25 }")
        #expect(findings.isEmpty)
        #expect(options.name == "pen" && options.points == 3 && options.timing.holdMs == 5.5)
        #expect(options.samplesPerSecond == 120 && options.corner == .sharp && options.minScore == 0.25)
        #expect(options.window.first == 2 && options.window.last == 4)
        // Options that were read do not affect options created afterwards.
        #expect(Sample().points == 16 && Sample().timing.holdMs == 20 && Sample().window.last == 8)
        #expect(
            options.changedOptions.map { "\($0.name): \($0.yaml)" } == [
                "points: 3", "hold_ms: 5.5", "min_score: 0.25", "corner: sharp", "rate_hz: 120",
                "window: { last: 4 }", "name: pen",
            ])
    }

    @Test(
        "Options: numbers have the spellings of YAML's core schema",
        arguments: [
            ("16", 16), ("+16", 16), ("0x10", 16), ("0x1f", 31), ("0o17", 15), ("1_6", nil), ("0b10", nil),
            ("0x-3", nil), ("0x", nil), ("0O17", nil), ("\"0x10\"", nil), ("+0x10", nil), ("-0x10", nil),
            ("0x1p3", nil), ("inf", nil), ("nan", nil),
        ] as [(String, Int?)])
    func spellings(text: String, number: Int?) throws {
        let (options, findings) = try decode("{ name: pen, points: \(text), hold_ms: \(text) }")
        #expect(findings.count == (number == nil ? 2 : 0))
        #expect(options.points == number ?? 16)
        #expect(options.timing.holdMs == number.map(Double.init) ?? 20)
    }

    @Test(
        "Options: a whole number that does not fit into 64 bits is a finding that names the range",
        arguments: ["99999999999999999999999", "-9223372036854775809", "1e30"])
    func tooLarge(text: String) throws {
        let (_, findings) = try decode("{ name: pen, points: \(text) }")
        let range = "-9223372036854775808 to 9223372036854775807"
        #expect(findings.map(\.message) == ["expected a whole number from \(range), found the number \(text)"])
    }

    @Test("Options: infinity is a number, and one that no option accepts", arguments: [".inf", "-.Inf", ".NaN"])
    func infinite(text: String) throws {
        let (options, findings) = try decode("{ name: pen, hold_ms: \(text) }")
        #expect(findings.map(\.message) == ["expected a finite number, found the number \(text)"])
        #expect(options.timing.holdMs == 20)
    }

    @Test("Options: an option that is out of range, unknown or missing is a finding, and a group's own check runs")
    func findings() throws {
        #expect(try decode("{ name: pen, points: 1 }").findings.map(\.code) == ["option.range"])
        #expect(try decode("{ name: pen, points: 1 }").findings.first?.label == "allowed: 2 to 64")
        #expect(try decode("{ name: pen, points: 1 }").options.points == 16)
        #expect(try decode("{ name: pen, point: 3 }").findings.map(\.code) == ["option.unknown"])
        #expect(try decode("{ name: pen, is_quiet: true }").findings.map(\.code) == ["option.unknown"])
        #expect(try decode("{ points: 3 }").findings.map(\.code) == ["option.missing"])
        #expect(try decode("{ name: pen, hold_ms: 13 }").findings.map(\.code) == ["timing.unlucky"])
    }

    @Test("Options: they are values, so a change to a copy does not change the original")
    func values() throws {
        let original = try decode("{ name: pen, points: 3, window: { first: 1 } }").options
        var copy = original
        copy.points = 40
        copy.timing.holdMs = 1
        copy.window.first = 5
        #expect(original.points == 3 && original.timing.holdMs == 20 && original.window.first == 1)
        #expect(copy.points == 40 && copy.timing.holdMs == 1 && copy.window.first == 5)
        let second = copy
        copy.points = 41
        copy.points = 42
        #expect(second.points == 40 && copy.points == 42)
    }

    @Test(
        "Options: assigning a value out of range stops the program; the message names the option, its range and the value"
    )
    func preconditionNumber() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            var options = Sample()
            options.points = 1
        }
        let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(said.contains("the option \"Number of points.\" must be 2 to 64, not 1"))
        #expect(said.contains("OptionTests.swift:"))
    }

    @Test("Options: the range of an optional option is checked when it is set")
    func preconditionOptional() async {
        var options = Sample()
        options.minScore = nil
        options.minScore = 1
        #expect(options.minScore == 1)
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            var options = Sample()
            options.minScore = .nan
        }
        let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(said.contains("the option \"Least score.\" must be 0 to 1, not nan"))
    }
}
