import PipelineTesting
import Testing

@testable import Pipeline

/// Emits the number of frames that this instance has processed. If it claims to be stateless, the claim is false, which shows which
/// frames share an instance.
private struct CountCalls: Stage {
    let isStateless: Bool
    private var calls = 0

    init(isStateless: Bool) { self.isStateless = isStateless }

    mutating func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) {
        calls += 1
        emitter.emit(TestNumber(calls))
    }
}

/// Multiplies numbers, and fails for negative ones.
private struct Times: Stage {
    let factor: Int
    var isStateless = true

    func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    )
        throws
    {
        guard number.value >= 0 else { throw PipelineError.frame("times.negative", "the number is negative") }
        emitter.emit(TestNumber(number.value * factor))
    }
}

/// Multiplies the numbers of a nested chain.
private struct TimesPart: Stage {
    let isStateless = true

    func process(_ number: Number, _ header: borrowing Header, into emitter: borrowing Emitter<Number>) {
        emitter.emit(Number(value: number.value * 2))
    }
}

@Suite struct StatelessStageTests {
    @Test("Stages: all streams share one instance of a stateless stage, and each has its own of any other")
    func sharing() async {
        let frames = (0..<6).map {
            Frame(TestNumber($0), at: .milliseconds(Int64($0)), stream: StreamID("s\($0 % 3)"), sequence: Int64($0 / 3))
        }
        let shared = await StageHarness(CountCalls(isStateless: true)).run(frames)
        #expect(shared.payloads.map(\.value) == [1, 2, 3, 4, 5, 6])
        let own = await StageHarness(CountCalls(isStateless: false)).run(frames)
        #expect(own.payloads.map(\.value) == [1, 1, 1, 2, 2, 2])
        // What the engine keeps for each stream is the same.
        #expect(shared.frames.map(\.stream) == own.frames.map(\.stream))
        #expect(shared.frames.map(\.sequence) == own.frames.map(\.sequence))
    }

    @Test("Stages: each worker has its own instance of a stateless stage")
    func workers() async throws {
        let frames = (0..<8).map {
            Frame(TestNumber($0), at: .milliseconds(Int64($0)), stream: StreamID("s\($0 % 4)"), sequence: Int64($0 / 4))
        }
        let out = Collector<TestNumber>()
        var plan = Plan.building()
        plan.add("in", source: FramesSource(frames))
        plan.add("count", stage: CountCalls(isStateless: true))
        plan.nodes[1].workers = 2
        plan.add("out", sink: out.sink())
        #expect(await Run(plan).finished().isSuccess)
        // Two streams belong to each worker.
        #expect(out.frames.map(\.payload.value) == [1, 1, 2, 2, 3, 3, 4, 4])
    }

    @Test(
        "A reload replaces a stateless stage for all streams, also by one with state, and keeps the others",
        arguments: [nil, 2])
    func reloading(workers: Int?) async throws {
        let (feed, basin) = (Feed(), Basin())
        func plan(_ first: Times, _ second: Times) -> Plan {
            var plan = Plan.building()
            plan.add("in", source: feed.source)
            plan.add("first", stage: first)
            plan.nodes[1].workers = workers
            plan.add("second", stage: second)
            plan.add("out", sink: basin.sink)
            return plan
        }
        let plans = [
            plan(Times(factor: 2), Times(factor: 10)), plan(Times(factor: 2), Times(factor: 100)),
            plan(Times(factor: 3, isStateless: false), Times(factor: 100)), plan(Times(factor: 5), Times(factor: 100)),
        ]
        let changed = ["", "second", "first", "first"]
        let run = Run(plans[0])
        run.start()
        for (turn, plan) in plans.enumerated() {
            if turn > 0 {
                let kept = Set(["in", "first", "second", "out"]).subtracting([changed[turn]])
                try await run.reload(plan, keeping: kept)
            }
            for stream in ["a", "b"] { feed.give([1, 2], at: Int64(1 + 10 * turn), stream: StreamID(stream)) }
            await basin.wait(for: 4 * (turn + 1))
        }
        feed.end()
        let report = await run.finished()
        #expect(report.isSuccess)
        #expect(report.ledger.nodes.map(\.received) == [16, 16, 16, 16])
        let factors = [20, 200, 300, 500]
        #expect(basin.numbers == factors.flatMap { [$0, 2 * $0, $0, 2 * $0] })
    }

    @Test("A stateless stage that fails for a frame of one stream routes it, and counts the gap in that stream only")
    func failures() async throws {
        let (out, failed) = (Collector<TestNumber>(), Collector<FailedFrame>())
        let values = [("a", 1), ("b", -2), ("a", 3), ("b", 4), ("a", 5)]
        var plan = Plan.building()
        plan.add(
            "in",
            source: FramesSource(
                values.enumerated().map {
                    Frame(TestNumber($1.1), at: .milliseconds(Int64($0)), stream: StreamID($1.0), sequence: Int64($0))
                }))
        plan.add("times", stage: Times(factor: 10), onError: .route)
        plan.add("out", sink: out.sink(), from: ["times"])
        plan.add("failed", sink: failed.sink(), from: ["times.errors"])
        #expect(await Run(plan).finished().isSuccess)
        #expect(out.frames.map(\.payload.value) == [10, 30, 40, 50])
        #expect(out.frames.map(\.gap) == [0, 0, 1, 0])
        #expect(failed.frames.map(\.stream) == ["b"])
        #expect(failed.frames.map(\.sequence) == [1])
        #expect(failed.frames.map { ($0.payload.frame as? TestNumber)?.value } == [-2])
    }

    @Test("All parts of all streams share one instance of a stateless stage in a nested chain")
    func nested() async {
        let frames = (0..<4).map { (index: Int) -> Frame<Numbers> in
            let stream = StreamID(index % 2 == 0 ? "a" : "b")
            let numbers = Numbers(values: [1, 2, Double(index) + 3])
            return Frame(numbers, at: .milliseconds(Int64(index)), stream: stream, sequence: Int64(index / 2))
        }
        let result = await StageHarness(Every(TimesPart())).run(frames)
        let wanted: [[Double]] = [[2, 4, 6], [2, 4, 8], [2, 4, 10], [2, 4, 12]]
        #expect(result.payloads.map(\.values) == wanted)
        #expect(result.report.violations == [])
    }

    @Test("Conformance suites: a stage that claims to be stateless but is not is caught")
    func falseClaim() async {
        let rules = await StageConformance(CountCalls(isStateless: true)).violations().map(\.rule)
        #expect(rules.contains("stateless_output_depends_only_on_frame"))
    }
}
