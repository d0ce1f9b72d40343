import Pipeline
import PipelineConfiguration
import PipelineTesting
import Testing

@testable import Connectors
@testable import PipelineComponents
@testable import Stages

/// Counts the frames of its hand in the name of its result, and refuses a hand above the image.
private struct Counting: Stage {
    private var count = 0

    mutating func process(
        _ landmarks: Landmarks, _ header: borrowing Header, into emitter: borrowing Emitter<Recognition>
    ) throws {
        guard landmarks.points[0].y >= 0 else { throw PipelineError.frame("counting.above", "a hand is above") }
        count += 1
        emitter.emit(
            Recognition(categories: [.init(name: "seen \(count)", index: 0, score: 1)], margin: 1, matcher: "counting"))
    }
}

/// Wakes up twice: 10 ms after the latest frame by default, and then at once, because the second time that it requests has passed.
private struct Waking: Stage {
    typealias Input = Landmarks
    var delayMs = 10.0
    private var count = 0

    mutating func process(
        _ landmarks: Landmarks, _ header: borrowing Header, into emitter: borrowing Emitter<Recognition>
    ) {
        if count == 0 { emitter.wake(at: header.timestamp.advanced(byMilliseconds: delayMs)) }
    }

    mutating func wake(at time: Timestamp, into emitter: borrowing Emitter<Recognition>) {
        count += 1
        emitter.emit(
            Recognition(categories: [.init(name: "woken \(count)", index: 0, score: 1)], margin: 1, matcher: "waking"))
        if count == 1 { emitter.wake(at: time.advanced(byMilliseconds: -1)) }
    }
}

/// Counts the frames of its hand, and emits their number at the end.
private struct Summing: Stage {
    typealias Input = Landmarks
    private var count = 0

    mutating func process(
        _ landmarks: Landmarks, _ header: borrowing Header, into emitter: borrowing Emitter<Recognition>
    ) { count += 1 }

    mutating func finish(into emitter: borrowing Emitter<Recognition>) {
        emitter.emit(
            Recognition(categories: [.init(name: "sum \(count)", index: 0, score: 1)], margin: 1, matcher: "summing"))
    }
}

@Suite("each")
struct EachTests {
    /// Returns a hand of three points at a position, with its track.
    private static func hand(
        _ track: Int?, x: Double = 0.5, y: Double = 0.5, confidence: Double = 1, name: String = "Left"
    ) -> Landmarks {
        Landmarks(
            topology: "test(a,b,c)", space: "normalized", points: [point(x, y), point(x + 0.1, y), point(x, y + 0.1)],
            confidences: [confidence, confidence, confidence], handedness: name, score: 0.9, track: track)
    }

    private func frames(_ hands: [[Landmarks]]) -> [Frame<Hands>] {
        hands.enumerated().map {
            Frame(Hands(hands: $1), at: .milliseconds(Int64($0) * 40), stream: "camera", sequence: Int64($0))
        }
    }

    private func names(_ result: some Collection<HandResults>) -> [[String]] {
        result.map { $0.hands.map { "\($0.landmarks.track ?? -1) \($0.gestures.first?.name ?? "–")" } }
    }

    @Test(
        "each: every frame gives one result at its time with its hands unchanged, and an empty frame gives an empty result"
    )
    func oneEach() async {
        let input = frames([[Self.hand(1), Self.hand(2, name: "Right")], [], [Self.hand(2)]])
        let result = await StageHarness(Each.hand(StageChain(Counting()))).run(input)
        #expect(result.frames.map(\.timestamp) == input.map(\.timestamp))
        #expect(result.frames.map(\.sequence) == [0, 1, 2])
        #expect(names(result.payloads) == [["1 seen 1", "2 seen 1"], [], ["2 seen 2"]])
        #expect(result.payloads[0].hands.map(\.landmarks) == input[0].payload.hands)
        #expect(result.report.violations == [])
    }

    @Test("each: stages follow a hand by its track, at any index in the list, and are discarded when the hand is gone")
    func tracks() async {
        let (a, b) = (Self.hand(7), Self.hand(9))
        let swapped = await StageHarness(Each.hand(StageChain(Counting()))).run(frames([[a], [b, a], [a, b]]))
        #expect(names(swapped.payloads) == [["7 seen 1"], ["9 seen 1", "7 seen 2"], ["7 seen 3", "9 seen 2"]])
        var options = Each.Options()
        options.idleMs = 100
        let gone = [[a], [], [], [a], [], [], [a], [], [], [], [a]]
        let result = await StageHarness(Each.hand(StageChain(Counting()), options)).run(frames(gone))
        // Three frames of 40 ms are more than 100 ms, so each time the hand comes back, it gets a new instance.
        #expect(names(result.payloads).flatMap { $0 } == ["7 seen 1", "7 seen 1", "7 seen 1", "7 seen 1"])
        options.idleMs = 120
        let kept = await StageHarness(Each.hand(StageChain(Counting()), options)).run(frames(gone))
        #expect(names(kept.payloads).flatMap { $0 } == ["7 seen 1", "7 seen 2", "7 seen 3", "7 seen 1"])
    }

    @Test("each: without tracks, hands are identified by their index in the list, which is logged once")
    func places() async throws {
        let (first, second) = (Self.hand(nil), Self.hand(nil))
        let lines = LogLines()
        let out = Collector<HandResults>()
        var plan = Plan.building()
        plan.add("camera", source: FramesSource(frames([[first, second], [first], [first, second]])))
        plan.add("each", stage: Each.hand(StageChain(Counting())))
        plan.add("out", sink: out.sink())
        var options = Run.Options()
        options.log = lines.log
        #expect(await Run(plan, options: options).finished().isSuccess)
        #expect(
            names(out.frames.map(\.payload)) == [
                ["-1 seen 1", "-1 seen 1"], ["-1 seen 2"], ["-1 seen 3", "-1 seen 2"],
            ])
        #expect(lines.all.filter { $0.contains("put track before") }.count == 1)
        let twins = await StageHarness(Each.hand(StageChain(Counting()))).run(
            frames([[Self.hand(3), Self.hand(3)], [Self.hand(3), Self.hand(3)]]))
        #expect(names(twins.payloads) == [["3 seen 1", "3 seen 1"], ["3 seen 2", "3 seen 2"]])
    }

    @Test("each: a hand dropped by a gate is not in the result; one without a recognized gesture is")
    func lettingGo() async throws {
        var gate = Gate.Options()
        gate.landmarks = LandmarkGateOptions()
        let test = try Topology(identifier: "test(a,b,c)")
        let gated = StageChain(try Gate(gate, of: test))
        let input = frames([[Self.hand(1, confidence: 0.1), Self.hand(2)], [Self.hand(1), Self.hand(2)]])
        let result = await StageHarness(Each.hand(gated.through(Counting()))).run(input)
        #expect(names(result.payloads) == [["2 seen 1"], ["1 seen 1", "2 seen 2"]])
        #expect(result.ledger.passed == 2 && result.ledger.dropped == [:])
        #expect(result.drops.map(\.place) == ["stage.gate"])
        var some = FilterComponent.Options()
        some.category = ["seen 2"]
        let filtered = gated.through(Counting()).through(Filter<Recognition>(some))
        let second = await StageHarness(Each.hand(filtered)).run(input)
        #expect(names(second.payloads) == [["2 –"], ["1 –", "2 seen 2"]])
    }

    /// Returns the results of a pipeline for hands, with stages written in YAML.
    private func results(_ stages: String, _ input: [Frame<Hands>]) async throws -> [HandResults] {
        let text = """
            version: 1
            sources:
              - stdin: { kind: hands, space: normalized, y: down, topology: "test(a,b,c)" }
            stages:
              - each: { stages: [\(stages)] }
            sinks:
              - null

            """
        let loaded = PipelineLoader(registry: .standard).load(text: text, name: "test", baseDirectory: ".")
        let plan = try #require(loaded.plan, "\(loaded.diagnostics.map(\.message))")
        let run = Run(try plan.replacing("stdin", source: FramesSource(input)))
        var results: [HandResults] = []
        for try await frame in try run.results(of: "each", as: HandResults.self) { results.append(frame.payload) }
        #expect(await run.finished().isSuccess)
        return results
    }

    private static let recognize = "{ measure: { a: { distance: [a, b] } } }, { trigger: { name: far, above: 0 } }"

    @Test(
        "each: the result has the hands as the stages changed them, in the space of the input if a gesture is recognized",
        arguments: [
            (recognize, 0.4), ("{ smooth: { method: median, window: 3 } }, \(recognize)", 0.2),
            ("{ convert: { space: pixels, width: 640, height: 480 } }, \(recognize)", 0.4),
            (
                "{ smooth: { method: median, window: 3 } }, { convert: { mirror_x: true, space: pixels, width: 640, height: 480 } }, \(recognize)",
                0.2
            ),
            ("{ smooth: { method: median, window: 3 } }", 0.2),
            ("{ convert: { space: pixels, width: 640, height: 480 } }", 256),
        ])
    func given(stages: String, x: Double) async throws {
        let input = frames([[Self.hand(1, x: 0)], [Self.hand(1, x: 0.4)]])
        let results = try await results(stages, input)
        let found = try #require(results.last?.hands.first)
        #expect(abs(found.landmarks.points[0].x - x) < 1e-9)
        #expect(found.landmarks.handedness == "Left" && found.landmarks.track == 1)
    }

    @Test("each: a hand that a stage refuses, or that has a coordinate that is not finite, fails the whole frame")
    func failing() async {
        let (good, bad) = (Self.hand(1), Self.hand(2, y: -1))
        let input = frames([[good], [good, bad], [good]])
        let result = await StageHarness(Each.hand(StageChain(Counting()))).run(input)
        #expect(names(result.payloads) == [["1 seen 1"], ["1 seen 1"]])
        #expect(result.errors.map(\.error.code) == ["counting.above"])
        #expect(result.report.violations == [])
        var broken = Self.hand(1)
        broken.points[1].x = .nan
        let refused = await StageHarness(Each.hand(StageChain(Counting()))).run(frames([[good], [broken], [good]]))
        #expect(refused.errors.map(\.error.code) == ["landmarks.not_finite"])
        #expect(names(refused.payloads) == [["1 seen 1"], ["1 seen 2"]])
    }

    @Test("each: with on_error: skip at a stage after those that keep landmarks, the hand stays without gestures")
    func skipping() async throws {
        var other = Self.hand(2)
        other.topology = "test(a,b,d)"
        let stages = "{ measure: { on_error: skip, a: { distance: [a, b] } } }, { trigger: { name: far, above: 0 } }"
        let results = try await results(stages, frames([[Self.hand(1), other]]))
        #expect(names(results) == [["1 far", "2 –"]])
    }

    @Test("each: a frame with more than 1,000 hands is refused")
    func tooMany() async {
        let result = await StageHarness(Each.hand(StageChain(Counting()))).run(
            frames([Array(repeating: Self.hand(nil), count: 1001), [Self.hand(1)]]))
        #expect(result.errors.map(\.error.code) == ["each.too_many"])
        #expect(names(result.payloads) == [["1 seen 1"]])
    }

    @Test("each: nested stages are checked like other stages, and must end in the right output type")
    func findings() {
        let source = "stdin: { kind: hands, y: up }"
        #expect(
            StagesTests.findings("  - each: { stages: [gate, thumb_swipe] }", source: source).map(\.help) == [
                "put convert: { flip_y: true } between them"
            ])
        let unfinished = StagesTests.findings(
            "  - each: { stages: [{ measure: { a: { distance: [wrist, thumbTip] } } }] }", source: source)
        #expect(unfinished.map(\.code) == ["chain.output"])
        #expect(StagesTests.findings("  - smooth", source: source).map(\.code) == ["graph.type_mismatch"])
        #expect(
            StagesTests.findings("  - each: { stages: [{ map_stream: { to: x } }] }", source: source).map(\.code) == [
                "chain.renames"
            ])
    }

    @Test("each: what stages emit for a hand that has just disappeared is a result with its last landmarks")
    func disappeared() async {
        // The wake-up of the first hand comes when the hand is no longer in the picture.
        var stage = Waking()
        stage.delayMs = 60
        let result = await StageHarness(Each.hand(StageChain(stage))).run(
            frames([[Self.hand(1), Self.hand(2)], [Self.hand(2)], []]))
        #expect(names(result.payloads) == [["1 –", "2 –"], ["2 –"], ["1 woken 2"], []])
        #expect(result.payloads[2].hands.map(\.landmarks) == [Self.hand(1)])
        #expect(result.report.violations == [])
    }

    @Test("each: what stages emit when a hand is discarded is a result of its own")
    func discarded() async {
        var options = Each.Options()
        options.idleMs = 30
        let result = await StageHarness(Each.hand(StageChain(Summing()), options)).run(
            frames([[Self.hand(1)], [], [Self.hand(2)]]))
        #expect(names(result.payloads) == [["1 –"], ["1 sum 1"], [], ["2 –"], ["2 sum 1"]])
        #expect(result.report.violations == [])
    }

    @Test("each: of several recognitions of a hand between two frames, the last one counts")
    func betweenFrames() async {
        let input = frames([[Self.hand(1)], [Self.hand(1)]])
        let result = await StageHarness(Each.hand(StageChain(Waking()))).run(input)
        #expect(names(result.payloads) == [["1 –"], ["1 woken 2"], ["1 –"]])
        #expect(result.report.violations == [])
    }
}
