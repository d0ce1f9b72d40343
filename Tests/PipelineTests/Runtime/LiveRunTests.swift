import PipelineTesting
import Synchronization
import Testing

@testable import Pipeline
@testable import PipelineConfiguration

/// Passes frames on, or does something else with them, depending on `how`.
private struct Meddle: Stage {
    enum How: CaseIterable {
        case pass, filter, multiply, absorb
    }

    var how = How.pass

    mutating func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) {
        switch how {
        case .pass: emitter.emit(number)
        case .filter: emitter.drop("unwanted")
        case .multiply: for _ in 0..<3 { emitter.emit(number) }
        case .absorb: break
        }
    }
}

/// Renames every stream to `all`.
private struct Rename: Stage {
    var renamesStreams: Bool { true }

    mutating func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) {
        emitter.emit(number, stream: "all")
    }
}

private typealias Events = [TimelineSource<TestNumber>.Event]

/// Returns frames of one stream that arrive at their own timestamps: the given numbers times `every` microseconds.
private func arriving(_ numbers: [Int], stream: StreamID = "a", every: Int64 = 1000) -> Events {
    numbers.enumerated().map { index, time in
        .init(
            at: Int64(time) * every,
            Frame(
                TestNumber(time), at: .microseconds(Int64(time) * every), stream: stream, sequence: Int64(index)))
    }
}

/// Passes on the frames of the stream that `arriving` names by default.
private struct OnlyStream: Stage {
    mutating func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) {
        if !header.stream.name.hasPrefix("other") { emitter.emit(number) }
    }
}

private let defaults = EdgePolicy(capacity: 1, onFull: .dropOldest, inFlight: 1)

/// The outcome of a live run in virtual time.
private struct Outcome {
    let report: RunReport
    let frames: [Frame<TestNumber>]
    let drops: [DropRecord]

    var values: [Int] { frames.map(\.payload.value) }
}

/// Runs `source → stage → out` live in virtual time.
private func live(
    _ events: Events, _ policy: EdgePolicy = defaults, stage: some Stage<TestNumber, TestNumber> = Meddle(),
    service: Int64 = 0, ownTask: Bool = false, change: (inout Plan, inout Run.Options) -> Void = { _, _ in }
) async -> Outcome {
    let out = Collector<TestNumber>()
    var plan = Plan.building(mode: .live)
    plan.add("in", source: TimelineSource(events), rules: .init(onDisorder: .drop))
    plan.add("stage", stage: stage, policy: policy)
    plan.add("out", sink: out.sink(mayBlock: ownTask))
    var options = Run.Options()
    options.clock = VirtualClock()
    options.serviceTimes = ["stage": service]
    let drops = DropLog()
    options.onDrop = { drops.add($0) }
    change(&plan, &options)
    let report = await Run(plan, options: options).finished()
    return Outcome(report: report, frames: out.frames, drops: drops.records)
}

@Suite struct LiveRunTests {
    @Test(
        "Live runs: the golden vectors of credits hold for a whole run", arguments: FlightStateTests.golden,
        [false, true])
    func golden(golden: FlightStateTests.Golden, ownTask: Bool) async {
        // One frame is finished every 10 ms, right after the second frame of each round has arrived.
        let moments = [0] + (0...8).flatMap { [10 * $0 + 5, 10 * $0 + 10] }
        let events = arriving(moments).map { event in
            var event = event
            event.at = max(0, event.at - 500)
            return event
        }
        let outcome = await live(events, golden.policy, service: 10_000_000, ownTask: ownTask)
        #expect(outcome.values == golden.delivered)
        #expect(outcome.drops.map { Int($0.timestamp.rawValue / 1000) } == golden.dropped)
        #expect(outcome.report.failures.map(\.error.description) == [])
        #expect(outcome.report.violations == [])
    }

    @Test("Live runs: a sender that skips billions of numbers leads to the largest gap, and the run goes on")
    func largestGap() async {
        typealias Event = TimelineSource<TestNumber>.Event
        // The frame after the hole waits while the stage is busy, and the next one replaces it.
        let hole = Event(at: 1000, item: .lost(2_200_000_000, "a"))
        let events = arriving([0]) + [hole] + arriving([0, 1, 2]).dropFirst()
        let outcome = await live(events, service: 10_000_000)
        #expect(outcome.report.failures.map(\.error.description) == [])
        #expect(outcome.report.violations == [])
        #expect(outcome.values == [0, 2])
        #expect(outcome.frames.map(\.gap) == [0, .max])
    }

    @Test(
        "Live runs: a stage of 20 ms behind a source of 1 kHz drops an exact number of frames, and delivers none older than 40 ms"
    )
    func overload() async {
        let ages = Lock<[Int64]>([])
        let clock = VirtualClock()
        let drops = DropLog()
        var plan = Plan.building(mode: .live)
        plan.add("in", source: TimelineSource(arriving(Array(0..<10_000))))
        plan.add("stage", stage: Meddle(), policy: defaults)
        plan.add("out", sink: AgeSink { age in ages.withLock { $0.append(age) } })
        var options = Run.Options()
        options.clock = clock
        options.serviceTimes = ["stage": 20_000_000]
        options.onDrop = { drops.add($0) }
        let report = await Run(plan, options: options).finished()
        #expect(report.isSuccess)
        // The stage takes the first frame immediately, then the newest frame every 20 ms, and finally the last frame.
        let seen = ages.withLock { $0 }
        #expect(seen.count == 501)
        #expect(drops.records.count == 9499)
        #expect(drops.records.allSatisfy { $0.reason == .edgeFull && $0.place == "in → stage" })
        #expect(seen.allSatisfy { $0 <= 40_000_000 })
        // A waiting frame is replaced by the next one, 1 ms later.
        #expect(drops.records.allSatisfy { $0.age == 1_000_000 })
        #expect(report.ledger.edges.first?.offered == 10_000)
    }

    @Test(
        "Live runs: nothing is dropped if each frame takes exactly as long as the interval, wherever the time is spent",
        arguments: [(5, 5, 0), (5, 0, 5), (5, 2, 3), (5, 3, 2), (2, 1, 4), (1, 4, 1)])
    func exactInterval(first: Int64, second: Int64, sink: Int64) async {
        let out = Collector<TestNumber>()
        var plan = Plan.building(mode: .live)
        plan.add("in", source: TimelineSource(arriving(Array(stride(from: 0, to: 250, by: 5)))))
        plan.add("first", stage: Meddle(), policy: EdgePolicy(capacity: 5, onFull: .dropOldest, inFlight: 5))
        plan.add("second", stage: Meddle(), policy: EdgePolicy(capacity: 0, onFull: .dropOldest, inFlight: 1))
        plan.add("out", sink: out.sink(mayBlock: true))
        var options = Run.Options()
        options.clock = VirtualClock()
        options.serviceTimes = ["first": first * 1_000_000, "second": second * 1_000_000, "out": sink * 1_000_000]
        let report = await Run(plan, options: options).finished()
        #expect(report.isSuccess)
        #expect(out.frames.count == 50)
    }

    @Test("Live runs: an edge that holds the watermarks of many streams still has room for frames")
    func watermarksOfManyStreams() async {
        let out = Collector<TestNumber>()
        var plan = Plan.building(mode: .live)
        let others = (1...70).flatMap { arriving([$0], stream: StreamID("other \($0)")) }
        plan.add("in", source: TimelineSource(arriving([0]) + others + arriving([100, 110, 120, 130, 140])))
        plan.add("stage", stage: Meddle(), policy: defaults)
        plan.add("only", stage: OnlyStream(), policy: EdgePolicy(capacity: 1, onFull: .dropOldest))
        plan.add("out", sink: out.sink(mayBlock: true))
        var options = Run.Options()
        options.clock = VirtualClock()
        options.serviceTimes = ["out": 10_000_000_000]
        let report = await Run(plan, options: options).finished()
        #expect(report.isSuccess)
        #expect(out.frames.map(\.timestamp) == [0, 100, 110, 120, 130, 140].map { .milliseconds($0) })
    }

    @Test(
        "Live runs: a frame waits at most for one frame of each other stream and the one in flight",
        arguments: [1, 3, 10], [1, 7, 300])
    func ages(streams: Int, period: Int) async {
        let ages = Lock<[Int64]>([])
        let events = (0..<streams).flatMap { stream in
            arriving(Array(stride(from: 0, to: 3000, by: period)), stream: StreamID("\(stream)"))
        }
        var plan = Plan.building(mode: .live)
        plan.add("in", source: TimelineSource(events.sorted { $0.at < $1.at }))
        plan.add("stage", stage: Meddle(), policy: defaults)
        plan.add("out", sink: AgeSink { age in ages.withLock { $0.append(age) } })
        var options = Run.Options()
        options.clock = VirtualClock()
        options.serviceTimes = ["stage": 20_000_000]
        #expect(await Run(plan, options: options).finished().isSuccess)
        let oldest = ages.withLock { $0.max() } ?? 0
        #expect(oldest <= Int64(streams + 1) * 20_000_000)
        // A frame waits for a frame of every stream only if no newer frame of its own stream replaces it.
        if period > streams * 20 { #expect(oldest == Int64(streams) * 20_000_000) }
    }

    @Test(
        "Live runs: a frame that is dropped, multiplied or absorbed gives its credit back",
        arguments: Meddle.How.allCases)
    private func slots(how: Meddle.How) async {
        let outcome = await live(
            arriving(Array(0..<200)), EdgePolicy(capacity: 1, onFull: .wait, inFlight: 1), stage: Meddle(how: how),
            service: 3_000_000)
        #expect(outcome.report.isSuccess)
        #expect(outcome.report.ledger.nodes[1].received == 200)
        let expected = how == .pass ? 200 : how == .multiply ? 600 : 0
        #expect(outcome.frames.count == expected)
    }

    @Test("Live runs: a frame that takes longer than timeout_ms gives its credit back, and is still delivered")
    func timeout() async {
        var policy = defaults
        policy.timeoutMs = 15
        // A frame every 10 ms, with 100 ms of work for each. Without a time-out, every tenth frame could be taken.
        let patient = await live(arriving(Array(0..<50), every: 10_000), service: 100_000_000)
        let hasty = await live(arriving(Array(0..<50), every: 10_000), policy, service: 100_000_000)
        #expect(patient.report.isSuccess && hasty.report.isSuccess)
        #expect(patient.values.count == 6)
        #expect(hasty.values.count > 20)
        #expect(hasty.values.count + hasty.drops.count == 50)
        #expect((hasty.report.ledger.edges.first?.timedOut ?? 0) > 20)
    }

    @Test("Live runs: the same input gives the same drops every time")
    func determinism() async {
        var random = SeededGenerator(seed: 7)
        var events: Events = []
        var moment: Int64 = 0
        for index in 0..<3000 {
            moment += Int64.random(in: 0...3000, using: &random)
            let stream: StreamID = ["a", "b", "c"][Int.random(in: 0..<3, using: &random)]
            events.append(
                .init(
                    at: moment,
                    Frame(
                        TestNumber(index), at: .microseconds(moment + Int64(index)), stream: stream,
                        sequence: Int64(index))))
        }
        let first = await live(events, service: 4_700_000, ownTask: true)
        let second = await live(events, service: 4_700_000, ownTask: true)
        #expect(first.report.isSuccess)
        #expect(first.drops.count > 1000)
        #expect(first.values == second.values)
        #expect(first.drops == second.drops)
    }

    @Test("Live runs: a recorder that takes from the source gets every frame, whatever the stages drop")
    func recorder() async {
        let all = Collector<TestNumber>()
        let outcome = await live(arriving(Array(0..<500)), service: 20_000_000) { plan, _ in
            plan.add("all", sink: all.sink(), from: ["in"], policy: EdgePolicy(capacity: 4096, onFull: .dropOldest))
        }
        #expect(outcome.report.isSuccess)
        #expect(all.frames.map(\.payload.value) == Array(0..<500))
        #expect(outcome.values.count == 26)
    }

    @Test(
        "Live runs: a slow branch that drops frames neither delays a faster branch nor holds its credits"
    )
    func branches() async {
        let slow = Collector<TestNumber>()
        let outcome = await live(arriving(Array(0..<500)), service: 2_000_000) { plan, options in
            plan.add("slow", stage: Meddle(), from: ["in"], policy: defaults)
            plan.add("slow_out", sink: slow.sink())
            options.serviceTimes["slow"] = 50_000_000
        }
        #expect(outcome.report.isSuccess)
        #expect(outcome.values.count == 251)
        #expect(slow.frames.count == 11)
    }

    @Test(
        "Live runs: a credit is held until the slowest sink downstream is done, but not for a branch behind another dropping edge"
    )
    func sinks() async {
        func delivered(_ policy: EdgePolicy?) async -> Int {
            let outcome = await live(arriving(Array(0..<100))) { plan, options in
                plan.add("other", sink: Collector<TestNumber>().sink(mayBlock: true), from: ["stage"], policy: policy)
                options.serviceTimes["other"] = 10_000_000
            }
            #expect(outcome.report.isSuccess)
            return outcome.values.count
        }
        #expect(await delivered(nil) == 11)
        #expect(await delivered(EdgePolicy(capacity: 1, onFull: .dropOldest)) == 100)
    }

    @Test("Live runs: streams that are renamed on the way give their credits back")
    func renaming() async {
        let events = zip(arriving(Array(0..<100)), arriving(Array(0..<100), stream: "b")).flatMap { [$0, $1] }
        let outcome = await live(
            events, EdgePolicy(capacity: 1, onFull: .wait, inFlight: 1), stage: Rename(), service: 1_000_000)
        #expect(outcome.report.isSuccess)
        #expect(outcome.frames.count == 200)
        #expect(outcome.frames.allSatisfy { $0.stream == "all" })
    }

    @Test(
        "Live runs: branches that meet again are merged stream by stream, and hold one credit together",
        arguments: [0, 5_000_000])
    func rejoin(service: Int64) async {
        let out = Collector<TestNumber>()
        var plan = Plan.building(mode: .live)
        let events = zip(arriving(Array(0..<100)), arriving(Array(0..<100), stream: "b")).flatMap { [$0, $1] }
        plan.add("in", source: TimelineSource(events))
        plan.add("head", stage: Meddle(), policy: EdgePolicy(capacity: 200, onFull: .dropOldest, inFlight: 1))
        plan.add("left", stage: Meddle(how: .multiply), from: ["head"])
        plan.add("right", stage: Meddle(), from: ["head"])
        plan.add("out", sink: out.sink(), from: ["left", "right"])
        var options = Run.Options()
        options.clock = VirtualClock()
        options.serviceTimes = ["right": service]
        let report = await Run(plan, options: options).finished()
        #expect(report.failures.map(\.error.description) == [])
        #expect(report.isSuccess)
        for stream in ["a", "b"] as [StreamID] {
            let values = out.frames.filter { $0.stream == stream }.map(\.payload.value)
            #expect(values == (0..<100).flatMap { [$0, $0, $0, $0] })
        }
    }

    @Test("Live runs: two live sources of one stage do not wait for each other")
    func twoSources() async {
        let out = Collector<TestNumber>()
        var plan = Plan.building(mode: .live)
        plan.add("quiet", source: TimelineSource(arriving([0, 900], stream: "q")))
        plan.add("busy", source: TimelineSource(arriving(Array(0..<100), stream: "b")))
        plan.add("stage", stage: Meddle(), from: ["quiet", "busy"], policy: defaults)
        plan.add("out", sink: AgeSink { _ in }, from: ["stage"])
        plan.add("copy", sink: out.sink(), from: ["stage"])
        var options = Run.Options()
        options.clock = VirtualClock()
        let report = await Run(plan, options: options).finished()
        #expect(report.isSuccess)
        #expect(out.frames.filter { $0.stream == "b" }.count == 100)
        #expect(out.frames.last?.stream == "q")
        #expect(report.ledger.losses == 0)
    }

    @Test("Live runs: a credit is held until a reader outside the run requests the next frame")
    func reader() async throws {
        let clock = VirtualClock()
        let plan = {
            var plan = Plan.building(mode: .live)
            plan.add("in", source: TimelineSource(arriving(Array(0..<100))))
            plan.add("stage", stage: Meddle(), policy: defaults)
            return plan
        }()
        let values = try await clock.run {
            var options = Run.Options()
            options.clock = clock
            let run = Run(plan, options: options)
            var values: [Int] = []
            for try await frame in try run.results(of: "stage", as: TestNumber.self) {
                values.append(frame.payload.value)
                try await clock.sleep(until: clock.now + 10_000_000)
            }
            #expect(await run.finished().isSuccess)
            return values
        }
        // The reader gets 0 immediately, then the newest value every 10 ms, and finally the last value.
        #expect(values == [0] + (1...9).map { 10 * $0 - 1 } + [99])
    }

    @Test("Live runs: frames of a live run have an arrival time, and frames of a batch run have none")
    func arrival() async {
        let outcome = await live(arriving([0, 5, 7]), service: 0)
        #expect(outcome.frames.map(\.arrival) == [0, 5, 7].map { 1_000_000_000 + $0 * 1_000_000 })
        let out = Collector<TestNumber>()
        var plan = Plan.building()
        plan.add("in", source: FramesSource([Frame(TestNumber(1), at: .zero)]))
        plan.add("out", sink: out.sink())
        _ = await Run(plan).finished()
        #expect(out.frames.map(\.arrival) == [0])
    }
}

/// Reports how old each frame is when it arrives.
private struct AgeSink: Sink {
    let mayBlock = false
    private let tell: @Sendable (Int64) -> Void
    private var clock: (any RunClock)?

    init(_ tell: @escaping @Sendable (Int64) -> Void) { self.tell = tell }

    mutating func open(_ context: SinkContext) { clock = context.clock }

    mutating func write(_ frame: Frame<TestNumber>) {
        if let clock { tell(clock.now - frame.arrival) }
    }
}
