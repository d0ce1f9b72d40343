import Pipeline
import PipelineComponents
import PipelineTesting
import Testing

@testable import Connectors
@testable import PipelineConfiguration
@testable import Stages

@Suite("match")
struct MatchTests {
    private static let stages: [any Stage] = [Resample(points: 16), Normalize(scale: .none), Vectorize()]
    private static let vectors = PortType(FeatureVector.self)

    private let library = GestureLibrary(gestures: [
        .init(name: "egg", displayNames: ["de": "Ei"], samples: [egg(), egg(count: 30)]),
        .init(name: "vee", samples: [stroke([(0, 0), (50, 100), (100, 0)])]),
        .init(name: "wide vee", samples: [stroke([(0, 0), (60, 90), (120, 0)])]),
    ])

    private func context(_ stages: [any Stage] = MatchTests.stages, input: PortType? = PortType(Stroke.self))
        -> BuildContext
    {
        BuildContext(
            id: "match",
            decoding: DecodingContext(
                findings: Findings(), path: "", baseDirectory: ".", known: Registry.standard.known),
            upstream: PureRun(stages: stages, input: input, above: "gate"))
    }

    private func vector(_ stroke: Stroke) throws -> FeatureVector {
        try PureRun(stages: Self.stages, input: nil, above: nil).prepare(stroke, as: FeatureVector.self)
    }

    private func recognize(_ stroke: Stroke, _ change: (inout Match.Options) -> Void = { _ in }) throws -> Recognition {
        var options = Match.Options()
        change(&options)
        return try apply(try Match.protractor(library, preparedBy: Self.stages, options), to: try vector(stroke))
    }

    private let vee = stroke([(0, 0), (50, 100), (100, 0)], label: "vee")

    @Test("match: categories come best first, one for each name, with the margin of the first over the second")
    func categories() throws {
        let result = try recognize(vee) { $0.thresholdRad = 3 }
        #expect(result.categories.map(\.name) == ["vee", "wide vee", "egg"])
        #expect(result.categories.map(\.index) == [1, 2, 0])
        #expect(result.margin == result.categories[0].score - result.categories[1].score)
        #expect(result.label == "vee")
        #expect(result.matcher == "protractor")
        #expect(result.end == .milliseconds(2))
        #expect(result.subject == nil)
    }

    @Test(
        "match: max_results limits what is reported, and changes neither the best nor the margin",
        arguments: [1, 2, -1])
    func maxResults(most: Int) throws {
        let all = try recognize(vee) { $0.thresholdRad = 3 }
        let some = try recognize(vee) {
            $0.thresholdRad = 3
            $0.categories.maxResults = most
        }
        #expect(some.categories == Array(all.categories.prefix(most < 0 ? 3 : most)))
        #expect(some.margin == all.margin)
    }

    @Test("match: thresholds leave out gestures that are not near enough, and if none is left, the result is None")
    func thresholds() throws {
        #expect(try recognize(vee) { $0.thresholdRad = 0.4 }.categories.map(\.name) == ["vee", "wide vee"])
        #expect(try recognize(vee) { $0.scoreThreshold = 0.99 }.categories.map(\.name) == ["vee"])
        let none = try recognize(stroke([(0, 0), (100, 0), (0, 5), (100, 5)])) { $0.thresholdRad = 0.05 }
        #expect(none.categories == [.none])
        #expect(none.margin == 0)
    }

    @Test("match: without emit_none the frame is dropped as no_match")
    func noNone() throws {
        var options = Match.Options()
        options.thresholdRad = 0.05
        options.emitNone = false
        let bench = StageBench(try Match.protractor(library, preparedBy: Self.stages, options))
        try bench.send(try vector(stroke([(0, 0), (100, 0), (0, 5), (100, 5)])), at: .zero)
        try bench.send(try vector(vee), at: .milliseconds(1))
        #expect(bench.output.map(\.payload.best.name) == ["vee"])
        #expect(bench.drops == ["no_match"])
    }

    @Test("match: the allowlist and the denylist select the categories")
    func lists() throws {
        #expect(try recognize(vee) { $0.categories.denylist = ["vee"] }.best.name == "wide vee")
        let allowed = try recognize(vee) {
            $0.categories.allowlist = ["egg", "wide vee"]
            $0.thresholdRad = 3
        }
        #expect(allowed.categories.map(\.name) == ["wide vee", "egg"])
        #expect(allowed.categories.map(\.index) == [2, 0])
    }

    @Test("match: unknown labels in the lists give a warning")
    func unknownLabels() throws {
        var options = Match.Options()
        options.categories.denylist = ["eg"]
        let context = context()
        _ = try Match.make(options, library: library, for: Self.vectors, context)
        #expect(context.decoding.findings.diagnostics.map(\.code) == ["match.unknown_label"])
        #expect(context.decoding.findings.hasErrors == false)
    }

    @Test("match: display names are in the configured language")
    func displayNames() throws {
        #expect(try recognize(egg()) { $0.displayNames = "de-AT" }.best.displayName == "Ei")
        #expect(try recognize(egg()).best.displayName == "egg")
    }

    @Test("match: the subject of a recognition is kept with the option subject")
    func subject() throws {
        guard case .stroke(let subject)? = try recognize(vee, { $0.subject = true }).subject else {
            Issue.record("no subject")
            return
        }
        #expect(subject.samples.count == 16)
        #expect(subject.label == "vee")
    }

    @Test("match: a sample that the stages refuse is a finding that names it")
    func refusedSample() throws {
        var bad = library
        bad.gestures[1].samples.append(stroke([(5, 5)]))
        bad.gestures[2].samples = [stroke([(1, 1), (1, 1)])]
        let context = context()
        let error = try #require(throws: PipelineError.self) {
            try Match.make(Match.Options(), library: bad, for: Self.vectors, context)
        }
        #expect(error.code == "match.sample_refused")
        #expect(error.message.hasPrefix("sample 2 of \"vee\" is refused"))
        #expect(
            context.decoding.findings.diagnostics.map(\.message).contains { $0.hasPrefix("sample 1 of \"wide vee\"") })
    }

    @Test("match: if the pure stages above do not get strokes, the error names the node that is in the way")
    func wrongKind() throws {
        let context = context([], input: PortType(FeatureVector.self))
        let error = try #require(throws: PipelineError.self) {
            try Match.make(Match.Options(), library: library, for: Self.vectors, context)
        }
        #expect(error.code == "match.library_kind")
        #expect(error.message.contains("\"gate\""))
        #expect(error.message.contains("vector"))
    }

    @Test("match: an empty library is an error, a gesture without samples a warning")
    func empty() throws {
        let context = context()
        #expect(throws: PipelineError.self) {
            try Match.make(Match.Options(), library: GestureLibrary(), for: Self.vectors, context)
        }
        var half = library
        half.gestures.append(.init(name: "nothing"))
        _ = try Match.make(Match.Options(), library: half, for: Self.vectors, context)
        #expect(context.decoding.findings.diagnostics.map(\.code).contains("match.no_samples"))
    }

    @Test("match: templates that differ in dimension are an error of the configuration")
    func dimensions() throws {
        let error = try #require(throws: PipelineError.self) {
            try Match.make(Match.Options(), library: library, for: Self.vectors, context([Vectorize()]))
        }
        #expect(error.category == .configuration)
    }

    @Test("match: the library's file is read when the graph is built, and a missing file is an environment error")
    func file() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/library.json"
        var options = Match.Options()
        options.library = FilePath(path)
        let input = PortType(FeatureVector.self)
        let error = try #require(throws: PipelineError.self) { try Match.make(options, for: input, context()) }
        #expect(error.category == .environment)
        try library.write(to: path)
        _ = try Match.make(options, for: input, context())
    }

    @Test("match: dollar1 uses the size of the stage normalize above it")
    func size() throws {
        var options = Match.Options()
        options.method = .dollar1
        let stages: [any Stage] = [Resample(), Normalize(size: 1, rotate: .indicative)]
        let stage = try Match.make(options, library: library, for: PortType(Stroke.self), context(stages))
        let run = PureRun(stages: stages + [stage], input: nil, above: nil)
        let result = try run.prepare(vee, as: Recognition.self)
        #expect(result.best.name == "vee" && result.best.score > 0.98)
        let other = try run.prepare(egg(), as: Recognition.self)
        // If the size were assumed to be 250, every score would be near 1.
        #expect(other.best.name == "egg" && other.margin > 0.1)
    }

    @Test(
        "match: a list that leaves no gesture is an error that names the list",
        arguments: ["category_allowlist", "category_denylist"])
    func nothingAllowed(option: String) throws {
        var options = Match.Options()
        if option == "category_allowlist" {
            options.categories.allowlist = ["square"]
        } else {
            options.categories.denylist = library.gestures.map(\.name)
        }
        let error = try #require(throws: PipelineError.self) {
            try Match.make(options, library: library, for: Self.vectors, context())
        }
        #expect(error.code == "match.nothing_allowed")
        #expect(error.option == option)
        #expect(error.message == "\(option) leaves none of the library's \(library.gestures.count) gestures")
        #expect(error.help?.contains("vee") == true)
    }

    @Test("match: options that contradict each other are findings")
    func options() throws {
        func codes(_ options: String) throws -> [String] {
            let findings = Findings()
            let context = DecodingContext(findings: findings, path: "", baseDirectory: ".")
            _ = Match.Options.decode(try #require(ConfigNode.parse(yaml: "{ library: g.json\(options) }")), context)
            return findings.diagnostics.map(\.code)
        }
        #expect(try codes(", max_results: 0") == ["option.range"])
        #expect(try codes(", category_allowlist: [a], category_denylist: [b]") == ["option.conflict"])
        #expect(try codes(", size: 3") == ["option.unused"])
        #expect(try codes("").isEmpty)
    }

    @Test("match: neither the query nor the library is changed, and repetitions give the same result")
    func pure() throws {
        let copy = library
        let query = try vector(vee)
        let before = query
        let bench = StageBench(try Match.protractor(library, preparedBy: Self.stages))
        for i in 0..<5 { try bench.send(query, at: .milliseconds(Int64(i))) }
        #expect(Set(bench.output.map(\.payload)).count == 1)
        #expect(query == before && library == copy)
    }

    @Test("match: a registry without a reader of libraries is an error, and match gets its library from the reader")
    func reader() throws {
        var options = Match.Options()
        options.library = FilePath("shapes.json")
        options.method = .protractor
        func context(_ registry: Registry) -> BuildContext {
            BuildContext(
                decoding: DecodingContext(findings: Findings(), path: "", baseDirectory: ".", known: registry.known),
                upstream: PureRun(stages: Self.stages, input: PortType(Stroke.self), above: nil))
        }
        var registry = Registry()
        let error = try #require(throws: PipelineError.self) {
            try Match.make(options, for: Self.vectors, context(registry))
        }
        #expect(error.code == "registry.no_reader" && error.message.contains("shapes.json"))
        registry.add(reader: { [library] (path: String) throws -> GestureLibrary in
            #expect(path == "shapes.json")
            return library
        })
        #expect(try Match.make(options, for: Self.vectors, context(registry)) is any Stage<FeatureVector, Recognition>)
    }
}
