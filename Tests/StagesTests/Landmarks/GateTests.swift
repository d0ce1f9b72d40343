import Pipeline
import PipelineTesting
import Testing

@testable import Stages

@Suite("gate")
struct GateTests {
    private static func options(_ change: (inout Gate.Options) -> Void) -> Gate.Options {
        var options = Gate.Options()
        change(&options)
        return options
    }

    private static func landmarks(
        _ confidences: [Double], score: Double? = nil, presence: Double? = nil, x: Double = 0, track: Int? = nil
    ) -> Landmarks {
        var landmarks = Self.made(confidences.map { _ in (x, 0) }, confidences)
        (landmarks.score, landmarks.presence, landmarks.track) = (score, presence, track)
        return landmarks
    }

    private static func made(_ places: [(Double, Double)], _ confidences: [Double]) -> Landmarks {
        Landmarks(topology: "test(a,b,c)", points: places.map { point($0.0, $0.1) }, confidences: confidences)
    }

    private static let test = try? Topology(identifier: "test(a,b,c)")

    private func stage(_ change: (inout Gate.Options) -> Void) throws -> some Stage<Landmarks, Landmarks> {
        try Gate(Self.options(change), of: try #require(Self.test))
    }

    /// Returns one frame for each confidence, `ms` milliseconds apart. The first landmark has that confidence, and the others
    /// have 1.
    private func frames(_ confidences: [Double], every ms: Int64 = 10) -> [Frame<Landmarks>] {
        confidences.enumerated().map { index, confidence in
            let made = Self.landmarks([confidence, 1, 1], score: 0.8, x: Double(index))
            return Frame(made, at: .milliseconds(Int64(index) * ms), stream: "hand", sequence: Int64(index))
        }
    }

    @Test(
        "gate: all, any or a number of the checked landmarks must reach the threshold",
        arguments: [
            (GateRequirement.all, ["all"], [0.3, 0.3, 0.3], true), (.all, ["all"], [0.3, 0.29, 0.9], false),
            (.any, ["all"], [0.1, 0.1, 0.3], true), (.any, ["all"], [0.1, 0.1, 0.1], false),
            (.atLeast(2), ["all"], [0.5, 0.1, 0.5], true), (.atLeast(2), ["all"], [0.5, 0.1, 0.1], false),
            (.all, ["a", "c"], [0.5, 0, 0.5], true), (.all, ["b"], [0.5, 0, 0.5], false),
        ] as [(GateRequirement, [String], [Double], Bool)])
    func requirements(require: GateRequirement, of: [String], confidences: [Double], passes: Bool) async throws {
        let stage = try stage {
            var landmarks = LandmarkGateOptions()
            (landmarks.require, landmarks.of) = (require, of.map { LandmarkName($0) })
            $0.landmarks = landmarks
        }
        let result = await StageHarness(stage).run([Self.landmarks(confidences)])
        #expect(result.payloads.count == (passes ? 1 : 0))
        #expect(result.drops.map(\.reason) == (passes ? [] : ["low_confidence"]))
    }

    @Test(
        "gate: detection and presence have thresholds of their own, 0.5 unless given",
        arguments: [
            (0.5, 0.5, nil), (0.49, 0.9, "low_detection"), (0.9, 0.49, "low_presence"), (nil, nil, nil),
        ] as [(Double?, Double?, DropReason?)])
    func scores(score: Double?, presence: Double?, reason: DropReason?) async throws {
        let result = await StageHarness(try stage { _ in }).run([
            Self.landmarks([1, 1, 1], score: score, presence: presence)
        ])
        #expect(result.drops.map(\.reason) == (reason.map { [$0] } ?? []))
    }

    @Test("gate: a missing confidence passes or fails as configured")
    func missing() async throws {
        let bare = Self.landmarks([])
        let passing = try stage { $0.landmarks = LandmarkGateOptions() }
        #expect(await StageHarness(passing).run([bare]).payloads.count == 1)
        let failing = try stage { ($0.minPresence, $0.missing) = (0.5, .fail) }
        #expect(await StageHarness(failing).run([bare]).drops.map(\.reason) == ["missing_confidence"])
    }

    @Test("gate: a missing confidence is logged once in a run, for any number of streams")
    func saidOnce() async throws {
        let lines = LogLines()
        var plan = Plan.building()
        let frames = (0..<6).map {
            Frame(Self.landmarks([]), at: .milliseconds(Int64($0)), stream: $0 % 2 == 0 ? "a" : "b")
        }
        plan.add("source", source: FramesSource(frames.sorted { $0.timestamp < $1.timestamp }))
        plan.add("gate", stage: try stage { $0.minDetection = 0.4 })
        plan.add("out", sink: Collector<Landmarks>().sink())
        var options = Run.Options()
        options.log = lines.log
        #expect(await Run(plan, options: options).finished().isSuccess)
        #expect(lines.all == ["gate: a carries no detection score, so this is not checked"])
    }

    @Test("gate: a missing confidence is logged once in a run where every hand has its own gate")
    func saidOnceForAllHands() async throws {
        let lines = LogLines()
        var plan = Plan.building()
        // A new pair of hands with every frame.
        let frames = (0..<6).map { number in
            let hands = (0..<2).map { place in
                var hand = Self.landmarks([])
                hand.track = 2 * number + place
                return hand
            }
            return Frame(Hands(hands: hands), at: .milliseconds(Int64(number)), stream: "a", sequence: Int64(number))
        }
        plan.add("source", source: FramesSource(frames))
        var options = Gate.Options()
        options.minDetection = 0.4
        plan.add("each", stage: Each.hand(StageChain(try Gate(options))))
        plan.add("out", sink: Collector<HandResults>().sink())
        var runOptions = Run.Options()
        runOptions.log = lines.log
        let run = Run(plan, options: runOptions)
        #expect(await run.finished().isSuccess)
        #expect(lines.all == ["each.gate: a carries no detection score, so this is not checked"])
    }

    @Test("gate: opening the gate needs a higher confidence than keeping it open")
    func hysteresis() async throws {
        let stage = try stage { ($0.enter, $0.leave) = (0.6, 0.3) }
        let result = await StageHarness(stage).run(frames([0.5, 0.6, 0.4, 0.3, 0.29, 0.5, 0.7]))
        #expect(result.frames.map(\.sequence) == [1, 2, 3, 6])
    }

    @Test("gate: the last good landmarks are repeated, marked, for exactly hold_ms")
    func hold() async throws {
        let stage = try stage {
            $0.landmarks = LandmarkGateOptions()
            $0.holdMs = 20
        }
        // Good at 0 and 10 ms; bad from 20 to 50.
        let result = await StageHarness(stage).run(frames([1, 1, 0, 0, 0, 0, 1]))
        #expect(result.frames.map(\.sequence) == [0, 1, 2, 3, 6])
        #expect(result.payloads.map { $0.points[0].x } == [0, 1, 1, 1, 6])
        #expect(result.payloads.map(\.doubt) == [nil, nil, "held", "held", nil])
        #expect(result.frames.map(\.timestamp.rawValue) == [0, 10_000, 20_000, 30_000, 60_000])
        #expect(result.drops.map(\.reason) == ["low_confidence", "low_confidence"])
    }

    @Test("gate: after hold_ms landmarks fade over release_ms, and meanwhile the lower threshold is enough")
    func release() async throws {
        let options = Self.options { ($0.enter, $0.leave, $0.holdMs, $0.releaseMs) = (0.6, 0.3, 10, 40) }
        let stage = try Gate(options, of: try #require(Self.test))
        let result = await StageHarness(stage).run(frames([1, 0, 0, 0, 0, 0, 0, 0.5, 0.7]))
        #expect(result.frames.map(\.sequence) == [0, 1, 2, 3, 4, 5, 8])
        let scores = result.payloads.map { $0.score ?? -1 }
        for (found, wanted) in zip(scores, [0.8, 0.8, 0.6, 0.4, 0.2, 0, 0.8]) { #expect(abs(found - wanted) < 1e-12) }
        // Above, the confidence 0.5 comes after the release and does not reopen the gate. Here, it comes during the release.
        let sooner = await StageHarness(stage).run(frames([1, 0, 0, 0, 0, 0.5]))
        #expect(sooner.payloads.last?.doubt == nil)
        #expect(sooner.frames.last?.sequence == 5)
    }

    @Test("gate: the gate closes when hold_ms is over, also if no landmarks came at that time")
    func closesInPause() async throws {
        func kept(_ times: [Int64], _ confidences: [Double]) async throws -> [Int64] {
            let options = Self.options { ($0.enter, $0.leave, $0.holdMs) = (0.8, 0.2, 20) }
            let sets = zip(times, confidences).map { time, confidence in
                (Timestamp.milliseconds(time), Self.landmarks([confidence, 1, 1], track: 1))
            }
            let topology = try #require(Self.test)
            let single = await StageHarness(try Gate(options, of: topology)).run(sets.map { Frame($1, at: $0) })
            let hands = await StageHarness(try GateHands(options, of: topology)).run(
                sets.map { Frame(Hands(hands: [$1]), at: $0) })
            let passed = single.frames.map(\.timestamp)
            #expect(hands.frames.filter { !$0.payload.hands.isEmpty }.map(\.timestamp) == passed)
            return passed.map { $0.rawValue / 1000 }
        }
        // The last good landmarks come at 0 ms and bad ones at 10 ms, so the gate closes after 20 ms.
        #expect(try await kept([0, 10, 20, 30], [0.9, 0.1, 0.5, 0.5]) == [0, 10, 20, 30])
        #expect(try await kept([0, 10, 21, 30], [0.9, 0.1, 0.5, 0.9]) == [0, 10, 30])
        // Without bad landmarks, the gate stays open.
        #expect(try await kept([0, 50], [0.9, 0.5]) == [0, 50])
    }

    @Test("gate: failed landmarks can be passed on with the reason")
    func mark() async throws {
        let stage = try stage {
            $0.landmarks = LandmarkGateOptions()
            $0.onFail = .mark
        }
        let result = await StageHarness(stage).run(frames([1, 0.1, 1]))
        #expect(result.payloads.map(\.doubt) == [nil, "low_confidence", nil])
    }

    @Test("gate: every hand has its own gate, by its track, and frames without hands pass")
    func hands() async throws {
        let options = Self.options { ($0.minDetection, $0.holdMs) = (0.5, 15) }
        func hand(_ track: Int, _ score: Double) -> Landmarks { Self.landmarks([1, 1, 1], score: score, track: track) }
        let result = await StageHarness(try GateHands(options)).run(
            [[hand(1, 0.9), hand(2, 0.1)], [hand(2, 0.9), hand(1, 0.1)], [hand(2, 0.1)], [], []].enumerated().map {
                Frame(Hands(hands: $1), at: .milliseconds(Int64($0) * 10))
            })
        #expect(result.payloads.map { $0.hands.map(\.track) } == [[1], [2, 1], [2], [], []])
        #expect(result.payloads[1].hands.map(\.doubt) == [nil, "held"])
    }

    @Test(
        "gate: invalid options are findings",
        arguments: [
            ("enter: 0.5", "option.missing"), ("enter: 0.3, leave: 0.5", "option.conflict"),
            ("enter: 0.5, leave: 0.3, landmarks: { threshold: 0.4 }", "option.conflict"),
            ("landmarks: { require: some }", "option.type"), ("landmarks: { require: 0 }", "option.type"),
            ("landmarks: { require: 3, of: [wrist, thumbTip] }", "gate.require"),
            ("landmarks: { of: [thumbTop] }", "landmarks.unknown"), ("min_detection: 1.5", "option.range"),
        ])
    func badOptions(options: String, code: String) {
        #expect(findings("  - gate: { \(options) }").map(\.code) == [code])
    }

    @Test("gate: hands with the same track or a negative one each have a gate of their own", arguments: [-1, 3])
    func equalTracks(track: Int) async throws {
        let options = Self.options { ($0.enter, $0.leave) = (0.6, 0.3) }
        func hand(_ confidence: Double) -> Landmarks { Self.landmarks([confidence, 1, 1], track: track) }
        // The first hand is never sure enough to open its gate. The second one opens its own.
        let result = await StageHarness(try GateHands(options, of: try #require(Self.test))).run(
            Array(repeating: Hands(hands: [hand(0.4), hand(0.9)]), count: 3))
        #expect(result.payloads.map { $0.hands.map { $0.confidences[0] } } == [[0.9], [0.9], [0.9]])
    }
}
