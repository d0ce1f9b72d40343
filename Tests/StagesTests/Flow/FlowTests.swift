import Pipeline
import PipelineComponents
import Synchronization
import Testing

@testable import Stages

@Suite("general stages")
struct FlowTests {
    private func recognition(_ name: String, _ score: Double) -> Recognition {
        Recognition(categories: [.init(name: name, index: 0, score: score)], margin: score, matcher: "test")
    }

    /// Returns the timestamps (in ms) that pass a stage when frames with these timestamps arrive.
    private func passing(_ stage: some Stage<Stroke, Stroke>, _ times: [Int64]) throws -> [Int64] {
        let bench = StageBench(stage)
        for time in times { try bench.send(egg(count: 3), at: .milliseconds(time)) }
        return bench.output.map { $0.timestamp.rawValue / 1000 }
    }

    @Test("filter passes recognitions by the name and the score of their best category")
    func filterRecognitions() throws {
        var options = FilterComponent.Options()
        options.category = ["star", "circle"]
        options.minScore = 0.5
        let bench = StageBench(Filter<Recognition>(options))
        for (i, (name, score)) in [("star", 0.9), ("star", 0.4), ("arrow", 0.9), ("circle", 0.5)].enumerated() {
            try bench.send(recognition(name, score), at: .milliseconds(Int64(i)))
        }
        #expect(bench.output.map(\.payload.best.name) == ["star", "circle"])
        #expect(bench.drops == ["filtered", "filtered"])
    }

    @Test(
        "filter passes streams whose names match a pattern",
        arguments: [("pen/1", true), ("pen/", true), ("pencil", false), ("a/pen/1", false)])
    func filterStreams(name: String, passes: Bool) throws {
        var options = FilterComponent.Options()
        options.stream = ["pen/*"]
        let bench = StageBench(Filter<Stroke>(options) { _ in true }, stream: StreamID(name))
        try bench.send(egg(), at: .zero)
        #expect(bench.output.count == (passes ? 1 : 0))
    }

    @Test("filter: the option category for another payload than recognitions is a finding")
    func filterFinding() throws {
        var options = FilterComponent.Options()
        options.category = ["star"]
        let context = BuildContext()
        _ = try FilterComponent.make(options, for: PortType(Stroke.self), context)
        #expect(context.decoding.findings.diagnostics.map(\.code) == ["filter.not_recognition"])
    }

    @Test(
        "filter: a kind that no payload has is a finding",
        arguments: [
            ("[stroke, strok]", "option.choice"), ("strok", "option.choice"), ("[points, stroke]", nil),
            ("points", "filter.nothing_passes"),
        ] as [(String, String?)])
    func filterKinds(kinds: String, code: String?) {
        let found = findings("  - filter: { kind: \(kinds) }", source: "stdin: { kind: stroke }")
        #expect(found.map(\.code) == (code.map { [$0] } ?? []))
        if code == "option.choice" { #expect(found.first?.help == "did you mean \"stroke\"?") }
    }

    @Test(
        "filter: patterns of streams match * and ?",
        arguments: [
            ("*", "", true), ("a*b*c", "a-xx-b-c-c", true), ("a*b*c", "a-xx-b", false), ("?", "é", true),
            ("?", "", false),
            ("", "", true), ("a", "ab", false), ("*a*a*a*a*b", String(repeating: "a", count: 200), false),
        ])
    func globs(pattern: String, text: String, fits: Bool) {
        #expect(Glob(pattern).matches(text) == fits)
    }

    @Test("throttle lets the given rate pass, in the time of the stream")
    func throttle() throws {
        let stage = Throttle<Stroke>(maxHz: 10)
        #expect(try passing(stage, [0, 50, 99, 100, 150, 199, 200, 1000, 1050, 1100]) == [0, 99, 199, 1000, 1100])
    }

    @Test("throttle passes every frame of a source whose rate jitters around the configured one")
    func throttleJitter() throws {
        let times = (0..<200).map { Int64($0) * 100 + [0, 3, -4, 2][$0 % 4] + 10 }
        #expect(try passing(Throttle<Stroke>(maxHz: 10), times) == times)
    }

    @Test("throttle keeps its rate over time")
    func throttleRate() throws {
        let passed = try passing(Throttle<Stroke>(maxHz: 10), (0..<10_000).map { Int64($0) * 7 })
        #expect((699...702).contains(passed.count))
    }

    @Test("sample passes the first frame and then each N-th")
    func sample() throws {
        let bench = StageBench(SampleFrames<Stroke>(every: 3))
        for i in 0..<8 { try bench.send(egg(), at: .milliseconds(Int64(i)), sequence: Int64(i)) }
        #expect(bench.output.map(\.sequence) == [0, 3, 6])
        #expect(bench.drops.count == 5)
    }

    @Test("throttle and sample refuse pieces of strokes, which continue each other")
    func continuing() {
        let points = PortType(Points.self)
        #expect(throws: PipelineError.self) { try ThrottleComponent.make(.init(), for: points, BuildContext()) }
        #expect(throws: PipelineError.self) { try SampleFramesComponent.make(.init(), for: points, BuildContext()) }
    }

    @Test("tap passes every frame on and logs every N-th")
    func tap() throws {
        let lines = Lines()
        var options = TapComponent.Options()
        options.every = 2
        options.maxHz = 1e6
        options.label = "look"
        let bench = StageBench(Tap<Stroke>(options), stream: "pen", log: Log { lines.add($0.message) })
        for i in 0..<4 {
            try bench.send(stroke([(0, 0), (1, 1)], label: "dash"), at: .milliseconds(Int64(i)), sequence: Int64(i))
        }
        #expect(bench.output.count == 4)
        #expect(
            lines.all == [
                "look: stroke of pen, frame 0 at 0.000000 s, 2 samples, dash",
                "look: stroke of pen, frame 2 at 0.002000 s, 2 samples, dash",
            ])
    }

    @Test("tap logs only N-th frames, also when max_hz leaves some of them out")
    func tapRate() throws {
        let lines = Lines()
        var options = TapComponent.Options()
        (options.every, options.maxHz) = (2, 10)
        let bench = StageBench(Tap<Stroke>(options), stream: "pen", log: Log { lines.add($0.message) })
        for i in 0..<8 {
            try bench.send(stroke([(0, 0), (1, 1)]), at: .milliseconds(Int64(35 * i)), sequence: Int64(i))
        }
        // Frames 2 and 6 come less than 100 ms after a logged frame.
        #expect(lines.all.map { $0.split(separator: " ")[4] } == ["0", "4"])
    }

    @Test(
        "map_stream renames by pattern, template and prefix",
        arguments: [("pen/1", "ink/1"), ("mouse", "pointer"), ("hand/left", "in/hand/left")])
    func mapStream(old: String, new: String) throws {
        var options = MapStreamComponent.Options()
        options.removePrefix = "pen/"
        options.map = StreamNames([("pen/*", "ink/{stream}"), ("mo?se", "pointer")])
        options.to = "in/{stream}"
        let bench = StageBench(MapStream<Stroke>(options), stream: StreamID(old))
        try bench.send(egg(), at: .zero, gap: 2)
        #expect(bench.output.map(\.stream.name) == [new])
        #expect(bench.output.map(\.gap) == [2])
    }

    @Test(
        "map_stream: an empty name and an unknown placeholder are errors",
        arguments: [
            ("to: \"\"", "option.empty"), ("map: { \"pen/*\": \"\" }", "option.empty"),
            ("to: \"in/{strem}\"", "map_stream.placeholder"),
            ("map: { pen: ink, \"pen/*\": \"{stream}/{date}\" }", "map_stream.placeholder"),
            ("to: \"left/{Stream}\"", "map_stream.placeholder"), ("to: \"{stream2}\"", "map_stream.placeholder"),
            ("to: \"{stream}/{stream}\"", nil),
        ] as [(String, String?)])
    func badNames(options: String, code: String?) {
        let found = findings("  - map_stream: { \(options) }", source: "stdin: { kind: stroke }")
        #expect(found.map(\.code) == (code.map { [$0] } ?? []))
        if code == "map_stream.placeholder", !options.contains("date") {
            #expect(found.first?.help == "did you mean \"stream\"?")
        }
    }

    @Test("map_stream merges streams that get the same new name")
    func mapStreamMerges() async throws {
        var options = MapStreamComponent.Options()
        options.to = "all"
        let frames = (0..<6).map {
            Frame(egg(), at: .milliseconds(Int64($0)), stream: StreamID("pen/\($0 % 2)"), sequence: Int64($0))
        }
        let (stream, continuation) = AsyncStream.makeStream(of: Frame<Stroke>.self)
        for frame in frames { continuation.yield(frame) }
        continuation.finish()
        let type = PortType(Stroke.self)
        let run = Run(
            Plan(nodes: [
                Plan.Node(id: "in", component: "in", body: .source(SequenceSource(stream), .init()), output: type),
                Plan.Node(
                    id: "map", component: "map_stream", body: .stage(MapStream<Stroke>(options)),
                    input: type,
                    output: type, edges: [Plan.Edge(from: 0)]),
                Plan.Node(
                    id: "sample", component: "sample", body: .stage(SampleFrames<Stroke>(every: 3)),
                    input: type, output: type, edges: [Plan.Edge(from: 1)]),
            ]))
        var passed: [Int64] = []
        for try await frame in try run.results(of: "sample", as: Stroke.self) { passed.append(frame.sequence) }
        // If sample had one state for each old name, it would pass the frames 0 and 1.
        #expect(passed == [0, 3])
    }
}

/// The lines that were logged.
private final class Lines: Sendable {
    private let lines = Lock<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func add(_ line: String) { lines.withLock { $0.append(line) } }
}
