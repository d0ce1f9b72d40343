import Testing

@testable import PipelineCommand

/// A separate small table, so that the real one can grow without changing these tests.
private enum Sample {
    enum Color: String, CaseIterable, Sendable { case red, green }

    static let set = Flag.text("set", placeholder: "ID.OPTION=VALUE", repeats: true, "Sets an option")
    static let limit = Flag.integer("limit", in: 1...(.max), "Stops early")
    static let output = Flag.text("output", short: "o", placeholder: "FILE", "Writes there")
    static let color = Flag<Color>.choice("color", default: .red, "Paints")
    static let templates = Flag.integers("templates", placeholder: "N,N", in: 1...9, "Draws so many")
    static let duration = Flag.positive("duration", placeholder: "S", "Stops after a while")

    static let go = Command(
        "go", "goes", arguments: [Argument("PLACE", "where to go"), Argument("MORE", "and then", arity: .any)],
        flags: [
            set.description, limit.description, output.description, color.description, templates.description,
            duration.description,
        ],
        examples: []
    ) { _, _ in .done }

    static let stay = Command(
        "stay", "stays", arguments: [Argument("PLACE", "where to stay", arity: .optional)], examples: []
    ) { _, _ in .done }

    static let root = Command(
        "walk", "walks", examples: [],
        subcommands: [go, stay, Command("tour", "several walks", examples: [], subcommands: [go, stay])])

    static func parse(_ words: String...) throws(UsageError) -> Invocation {
        try CommandLineParser(tool: .pipectl, root: root).parse(words)
    }

    static func error(_ words: [String]) -> UsageError? {
        do {
            _ = try CommandLineParser(tool: .pipectl, root: root).parse(words)
            return nil
        } catch {
            return error
        }
    }
}

@Suite("Command line parsing")
struct CommandLineParserTests {
    @Test("Command line: a flag's value is the next word, or follows an equals sign")
    func values() throws {
        #expect(try Sample.parse("go", "home", "--limit", "5")[Sample.limit] == 5)
        #expect(try Sample.parse("go", "--limit=5", "home")[Sample.limit] == 5)
        #expect(try Sample.parse("go", "home", "-o", "x")[Sample.output] == "x")
        #expect(try Sample.parse("go", "home", "-ox")[Sample.output] == "x")
        #expect(try Sample.parse("go", "home", "--output=")[Sample.output] == "")
        #expect(try Sample.parse("go", "home", "--set=a.b=c=d")[Sample.set] == "a.b=c=d")
        #expect(try Sample.parse("go", "home", "--output", "--set")[Sample.output] == "--set")
        #expect(try Sample.parse("go", "home", "--templates=1,3,9")[Sample.templates] == [1, 3, 9])
        #expect(try Sample.parse("go", "home", "--color=green")[Sample.color] == .green)
        #expect(try Sample.parse("go", "home")[Sample.limit] == nil)
    }

    @Test("Command line: a flag that may be repeated keeps every value in order")
    func repeated() throws {
        let invocation = try Sample.parse("go", "--set", "a.b=1", "home", "--set=c.d=2")
        #expect(invocation.all(Sample.set) == ["a.b=1", "c.d=2"])
    }

    @Test("Command line: short toggles can be joined, and flags may stand before and after arguments")
    func toggles() throws {
        let invocation = try Sample.parse("go", "-qv", "home", "there")
        #expect(invocation[Flags.quiet] && invocation[Flags.verbose])
        #expect(invocation.words == ["home", "there"])
    }

    @Test("Command line: after --, every word is an argument, and a single dash always is one")
    func dashes() throws {
        #expect(try Sample.parse("go", "--", "--limit", "-q").words == ["--limit", "-q"])
        #expect(try Sample.parse("go", "-").words == ["-"])
        #expect(try Sample.parse("go", "--", "--help").words == ["--help"])
    }

    @Test("Command line: verbs nest, and after a verb, the name of another verb is an argument")
    func verbs() throws {
        #expect(try Sample.parse("tour", "go", "home").fullName == "walk tour go")
        #expect(try Sample.parse("go", "stay").words == ["stay"])
    }

    @Test("Command line: --help is accepted even if other words are wrong")
    func help() throws {
        #expect(try Sample.parse("go", "--limit=none", "--nonsense", "--help")[Flags.help])
        #expect(try Sample.parse("tour", "-h").fullName == "walk tour")
    }

    @Test(
        "Command line: a wrong command line is refused with a remedy",
        arguments: [
            (["og"], "unknown verb \"og\"", ["did you mean \"walk go\"?", "verbs: go, stay, tour"]),
            (["zzz"], "unknown verb \"zzz\"", ["verbs: go, stay, tour"]),
            (["tour"], "\"walk tour\" needs a verb", ["verbs: go, stay", "\"walk tour --help\" says more"]),
            (["tour", "styy"], "unknown verb \"styy\"", ["did you mean \"walk tour stay\"?", "verbs: go, stay"]),
            (
                ["go", "home", "--limt=3"], "unknown flag \"--limt\"",
                [
                    "did you mean \"--limit\"?",
                    "flags of \"walk go\": --set, --limit, --output, --color, --templates, --duration, --quiet, "
                        + "--verbose, --help",
                ]
            ),
            (
                ["stay", "-x"], "unknown flag \"-x\"", ["flags of \"walk stay\": --quiet, --verbose, --help"]
            ),
            (
                ["go"], "PLACE is missing: where to go",
                ["usage: walk go [FLAGS] PLACE [MORE…]", "\"walk go --help\" shows examples"]
            ),
            (["stay", "a", "b"], "unexpected argument \"b\"", ["usage: walk stay [FLAGS] [PLACE]"]),
            (["go", "x", "--limit"], "--limit needs a whole number, at least 1", ["write --limit=N"]),
            (["go", "x", "--limit=0"], "--limit needs a whole number, at least 1, found \"0\"", ["write --limit=N"]),
            (
                ["go", "x", "--limit=99999999999999999999"],
                "--limit needs a whole number, at least 1, found \"99999999999999999999\"", ["write --limit=N"]
            ),
            (
                ["go", "x", "--duration=nan"], "--duration needs a number above 0, found \"nan\"",
                ["write --duration=S"]
            ),
            (
                ["go", "x", "--templates=1,,3"],
                "--templates needs whole numbers from 1 to 9, separated by commas, found \"1,,3\"",
                ["write --templates=N,N"]
            ),
            (
                ["go", "x", "--color=gren"], "--color needs one of red, green, found \"gren\"",
                ["did you mean \"green\"?"]
            ),
            (["go", "x", "-o"], "-o needs a value", ["write -o FILE"]),
            (["go", "x", "--quiet=1"], "--quiet takes no value, found \"1\"", ["write --quiet"]),
            (["go", "x", "--limit=1", "--limit=2"], "--limit was given twice", ["give it once"]),
        ] as [([String], String, [String])])
    func refusals(words: [String], message: String, help: [String]) {
        let error = Sample.error(words)
        #expect(error?.message == message)
        #expect(error?.help == help)
    }
}
