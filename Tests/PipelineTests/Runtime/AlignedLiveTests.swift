import PipelineTesting
import Testing

@testable import Pipeline
@testable import PipelineConfiguration

/// The time at which a set was emitted, and its content: `20: 3,-` in milliseconds of the run.
private struct Told: Payload, Equatable {
    static let kind: Kind = "told"
    var text: String
}

private struct Tell: AlignedStage {
    typealias Element = TestNumber
    var alignment = Alignment()
    let clock: any RunClock
    let begin: Int64

    init(_ alignment: Alignment = Alignment(), clock: any RunClock) {
        self.alignment = alignment
        self.clock = clock
        begin = clock.now
    }

    mutating func process(
        _ set: Aligned<TestNumber>, _ header: borrowing Header, into emitter: borrowing Emitter<Told>
    ) {
        let values = set.values.map { $0.map { String($0.value) } ?? "-" }.joined(separator: ",")
        emitter.emit(Told(text: "\((clock.now - begin) / 1_000_000): \(values)"))
    }
}

private struct Pass: Stage {
    mutating func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) {
        emitter.emit(number)
    }
}

/// Returns frames of stream `s` whose timestamps and numbers are in milliseconds, each with its arrival time.
private func arriving(_ frames: [(at: Int64, time: Int64)]) -> TimelineSource<TestNumber> {
    TimelineSource(
        frames.enumerated().map { index, frame in
            .init(
                at: frame.at * 1000,
                Frame(
                    TestNumber(Int(frame.time)), at: .milliseconds(frame.time), stream: "s", sequence: Int64(index)))
        })
}

private let patient = EdgePolicy(capacity: 1000)

/// Aligned inputs in live runs, in virtual time.
@Suite struct AlignedLiveTests {
    private struct Outcome {
        let report: RunReport
        let told: [String]
        let drops: [DropRecord]
    }

    private func run(
        _ left: [(at: Int64, time: Int64)], _ right: [(at: Int64, time: Int64)], _ alignment: Alignment = Alignment(),
        idleTimeoutMs: Double?, latenessMs: Double? = nil
    ) async -> Outcome {
        let clock = VirtualClock()
        let (out, drops) = (Collector<Told>(), DropLog())
        var policy = patient
        policy.idleTimeoutMs = idleTimeoutMs
        var plan = Plan.building(mode: .live)
        if let latenessMs { plan.latenessMs = latenessMs }
        plan.add("left", source: arriving(left))
        plan.add("right", source: arriving(right))
        plan.add("tell", stage: Tell(alignment, clock: clock), from: ["left", "right"], policy: policy)
        plan.add("out", sink: out.sink())
        var options = Run.Options()
        options.clock = clock
        options.onDrop = { drops.add($0) }
        let report = await Run(plan, options: options).finished()
        return Outcome(report: report, told: out.frames.map(\.payload.text), drops: drops.records)
    }

    @Test("Live joins: an edge silent for its timeout stops delaying sets; without a timeout, sets wait for it")
    func silence() async {
        let left: [(Int64, Int64)] = [(0, 0), (10, 10), (30, 30)]
        let idle = await run(left, [(200, 200)], idleTimeoutMs: 20)
        #expect(idle.told == ["20: 0,-", "20: 10,-", "30: 30,-", "200: -,200"])
        #expect(idle.report.isSuccess, "\(idle.report.failures) \(idle.report.violations)")
        let waiting = await run(left, [(200, 200)], idleTimeoutMs: nil)
        #expect(waiting.told == ["200: 0,-", "200: 10,-", "200: 30,-", "200: -,200"])
    }

    @Test("Live joins: frames after the silence are joined again, and frames that arrive too late are dropped as late")
    func late() async {
        let outcome = await run(
            [(0, 0), (10, 10), (104, 105), (114, 115)], [(100, 5), (105, 105), (115, 115)], idleTimeoutMs: 20)
        #expect(outcome.told == ["20: 0,-", "20: 10,-", "105: 105,105", "115: 115,115"])
        #expect(outcome.drops.map { "\($0.place) \($0.reason) \($0.timestamp)" } == ["tell late 0.005000 s"])
        let tell = outcome.report.ledger.nodes[2]
        #expect((tell.alignment?.frames, tell.alignment?.used) == (7, 6))
        #expect(tell.allDropped == [.late: 1])
        #expect(outcome.report.ledger.losses == 1)
        #expect(outcome.report.violations == [])
    }

    @Test(
        "Live joins: with approximate, a set leaves when no nearer frame can come, and no frame is late for another time",
        arguments: [
            // The frame at 100 waits until the right edge has passed 110. The frame at 131 shows that it has.
            ([(99, 90), (101, 131), (300, 400)], ["101: 100,90", "155: 125,131", "300: 400,400"]),
            // The clock shows it, at 99 + (110 - 90) + 20 ms.
            ([(99, 90), (160, 140), (300, 400)], ["139: 100,90", "160: 125,140", "300: 400,400"]),
            ([(100, 100), (101, 131), (300, 400)], ["100: 100,100", "155: 125,131", "300: 400,400"]),
        ] as [([(Int64, Int64)], [String])])
    func nearest(right: [(Int64, Int64)], expected: [String]) async {
        // The second frame of the left edge arrives 55 ms after the first, and is only 25 ms later.
        let outcome = await run(
            [(100, 100), (155, 125), (300, 400)], right, Alignment(.approximate, toleranceMs: 30), idleTimeoutMs: nil,
            latenessMs: 20)
        #expect(outcome.told == expected)
        #expect(outcome.drops.isEmpty, "\(outcome.drops)")
        #expect(outcome.report.isSuccess, "\(outcome.report.failures) \(outcome.report.violations)")
    }

    @Test("Live joins: clocks that agree are not apart, however large the tolerance is")
    func largeTolerance() async {
        // At 9 s, the frame may still be joined with one of the right edge until 12 s.
        let outcome = await run(
            [(1000, 1000), (9000, 9000), (17000, 17000)], [(999, 999), (10000, 10000), (18000, 18000)],
            Alignment(.approximate, toleranceMs: 3000), idleTimeoutMs: nil)
        #expect(outcome.told.map { $0.split(separator: " ").last } == ["1000,999", "9000,10000", "17000,18000"])
        #expect(outcome.drops.isEmpty, "\(outcome.drops)")
    }

    @Test("Live joins: the watermarks of a silent edge do not count as its frames")
    func watermarks() async {
        let left = (0..<6).map { (at: Int64($0 * 30), time: Int64($0 * 30)) }
        let outcome = await run(
            left, [(0, 0), (400, 400)], Alignment(.latest), idleTimeoutMs: 50, latenessMs: 20)
        // The set for 30 waits until the right edge has been silent for 50 ms; all later ones leave at once.
        #expect(outcome.told == ["0: 0,0", "50: 30,0", "60: 60,0", "90: 90,0", "120: 120,0", "150: 150,0"])
    }

    @Test("Live joins: no set is made while every edge is silent")
    func allSilent() async {
        let outcome = await run([(0, 7), (410, 410)], [(400, 400), (415, 410)], idleTimeoutMs: 20)
        // At 400, the right edge shows that it has passed 7; the left one is still silent.
        #expect(outcome.told == ["400: 7,-", "400: -,400", "415: 410,410"])
    }

    @Test("Live joins: frames of an edge that has ended do not wait for a silent edge")
    func endedAndSilent() async {
        let outcome = await run([(0, 7)], [(400, 400)], idleTimeoutMs: 20)
        #expect(outcome.told == ["20: 7,-", "400: -,400"])
    }

    @Test(
        "Live joins: when nothing is late, a live run makes the same sets as a batch run",
        arguments: [Alignment(), Alignment(.approximate, toleranceMs: 3), Alignment(.latest)])
    func likeBatch(alignment: Alignment) async {
        var random = SeededGenerator(seed: 11)
        let times = (0..<2).map { _ in
            (0..<400).filter { _ in Int.random(in: 0..<3, using: &random) == 0 }.map { (Int64($0), Int64($0)) }
        }
        let live = await run(times[0], times[1], alignment, idleTimeoutMs: 100_000)
        #expect(live.report.isSuccess, "\(live.report.failures) \(live.report.violations)")
        let out = Collector<Told>()
        var plan = Plan.building()
        for (name, list) in zip(["left", "right"], times) {
            plan.add(
                name,
                source: FramesSource(
                    list.map { Frame(TestNumber(Int($1)), at: .milliseconds($1), stream: "s") }, batchSize: 7))
        }
        plan.add("tell", stage: Tell(alignment, clock: SystemClock()), from: ["left", "right"], policy: patient)
        plan.add("out", sink: out.sink())
        #expect(await Run(plan).finished().isSuccess)
        func sets(_ told: [String]) -> [String] { told.map { String($0.split(separator: " ")[1]) } }
        #expect(sets(live.told) == sets(out.frames.map(\.payload.text)))
        #expect(live.told.count > 100)
    }

    @Test("Live joins: edges that are full of different streams do not wait for each other", arguments: [200, 5000])
    func fullOfStreams(count: Int64) async {
        func source(_ streams: [StreamID]) -> TimelineSource<TestNumber> {
            TimelineSource(
                // Both sources have produced both streams before.
                streams.enumerated().map { .init(at: 0, Frame(TestNumber($0), at: .zero, stream: $1)) }
                    + streams.enumerated().flatMap { index, stream in
                        (1...count).map {
                            .init(
                                at: Int64(index) * count + $0,
                                Frame(TestNumber(1), at: .microseconds($0), stream: stream))
                        }
                    })
        }
        let clock = VirtualClock()
        let out = Collector<Told>()
        var plan = Plan.building(mode: .live)
        plan.add("left", source: source(["a", "b"]))
        plan.add("right", source: source(["b", "a"]))
        plan.add("tell", stage: Tell(clock: clock), from: ["left", "right"], policy: EdgePolicy(capacity: 64))
        plan.add("out", sink: out.sink())
        var options = Run.Options()
        options.clock = clock
        let report = await Run(plan, options: options).finished()
        #expect(report.isSuccess, "\(report.failures) \(report.violations)")
        if count < 4096 { #expect(out.frames.count == 2 * (Int(count) + 1)) }
        #expect(out.frames.count >= Int(count))
    }

    @Test(
        "Live joins: a frame with a credit is finished together with its set, the ledger balances, and no set lacks a branch"
    )
    func dropWhileBusy() async {
        let clock = VirtualClock()
        let out = Collector<Told>()
        var plan = Plan.building(mode: .live)
        plan.add("in", source: arriving((0..<1000).map { (Int64($0), Int64($0)) }))
        plan.add("stage", stage: Pass(), policy: EdgePolicy(capacity: 1, onFull: .dropOldest, inFlight: 1))
        plan.add("slow", stage: Pass(), from: ["stage"])
        plan.add("fast", stage: Pass(), from: ["stage"])
        plan.add("tell", stage: Tell(clock: clock), from: ["slow", "fast"])
        plan.add("out", sink: out.sink())
        var options = Run.Options()
        options.clock = clock
        options.serviceTimes = ["slow": 4_500_000, "fast": 500_000]
        let report = await Run(plan, options: options).finished()
        #expect(report.isSuccess, "\(report.failures) \(report.violations)")
        let edge = report.ledger.edges.first { $0.from == "in" }
        #expect(edge.map { $0.offered == $0.taken + $0.droppedTotal } == true)
        #expect(Int64(out.frames.count) == edge?.taken)
        // The slow stage takes one frame every 4.5 ms, and after the end of the source the frames that still wait.
        #expect((220...224).contains(out.frames.count))
        #expect(!out.frames.contains { $0.payload.text.contains("-") })
    }
}
