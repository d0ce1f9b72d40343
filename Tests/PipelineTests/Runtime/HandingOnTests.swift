import PipelineTesting
import Synchronization
import Testing

@testable import Pipeline

private struct Pass: Stage {
    mutating func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) {
        emitter.emit(number)
    }
}

/// Records when each frame arrives, in milliseconds of the run. From the number `until` on, it reports that its reader is gone.
private struct NotingSink: Sink {
    private let note: @Sendable (Int, Int64) -> Void
    private let until: Int
    private var clock: (any RunClock)?
    var mayBlock = true

    init(until: Int = .max, _ note: @escaping @Sendable (Int, Int64) -> Void) {
        (self.note, self.until) = (note, until)
    }

    mutating func open(_ context: SinkContext) { clock = context.clock }

    mutating func write(_ frame: Frame<TestNumber>) throws {
        if frame.payload.value >= until { throw ReaderGone() }
        note(frame.payload.value, ((clock?.now ?? 0) - 1_000_000_000) / 1_000_000)
    }
}

/// Numbers, in the order in which they were recorded.
private final class Notes: Sendable {
    private let state = Lock<[Int]>([])
    var values: [Int] { state.withLock { $0 } }
    func add(_ value: Int) { state.withLock { $0.append(value) } }
}

/// Takes a while, and then checks whether the previous frame has been written.
private struct SlowStage: Stage {
    let written: Notes
    let missed: Notes

    mutating func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) {
        // Computes for 20 ms, so that the frame is slow. Then waits until the previous frame was written, for at most 5 s.
        let end = ContinuousClock.now + .milliseconds(20)
        while ContinuousClock.now < end {}
        let before = number.value - 1
        let patience = ContinuousClock.now + .seconds(5)
        while before >= 0, !written.values.contains(before), ContinuousClock.now < patience {}
        if before >= 0, !written.values.contains(before) { missed.add(before) }
        emitter.emit(number)
    }
}

/// Answers the first three calls immediately, and the others after three hours.
private struct Calls: AsyncStage {
    var clock: (any RunClock)?

    mutating func open(_ context: AsyncStageContext) async throws { clock = context.clock }

    func process(_ frame: Frame<TestNumber>) async throws -> [TestNumber] {
        let hours: Int64 = frame.payload.value < 3 ? 0 : 3
        if let clock, hours > 0 { try await clock.sleep(until: clock.now + hours * 3_600_000_000_000) }
        return [frame.payload]
    }
}

private struct Third: Stage {
    mutating func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) {
        if number.value % 3 == 2 { emitter.emit(number) }
    }
}

private func numbers(_ count: Int) -> [Frame<TestNumber>] {
    (0..<count).map { Frame(TestNumber($0), at: .microseconds(Int64($0)), stream: "a", sequence: Int64($0)) }
}

/// When output is passed on, and what happens to it when a run ends early.
@Suite("Delivery of frames")
struct HandingOnTests {
    @Test("Delivery: in a batch run too, each result of a slow stage is delivered when it is made")
    func promptly() async {
        let times = Lock<[Int64]>([])
        var plan = Plan.building()
        plan.add("in", source: FramesSource(numbers(100)))
        plan.add("slow", stage: Pass())
        plan.add("next", stage: Pass(), policy: EdgePolicy())
        plan.add("out", sink: NotingSink { _, time in times.withLock { $0.append(time) } })
        var options = Run.Options()
        options.clock = VirtualClock()
        options.serviceTimes = ["slow": 100_000_000]
        let report = await Run(plan, options: options).finished()
        #expect(report.isSuccess)
        #expect(times.withLock { $0 } == (1...100).map { $0 * 100 })
    }

    // Every third frame goes on. It takes 10 + 100 + 5 ms, and the others take 10 ms.
    @Test(
        "Simulated work: a node takes its time for the frames that reach it, and what follows is written when it is over",
        arguments: [1, 2])
    func simulatedWork(workers: Int) async {
        let times = Lock<[Int64]>([])
        var plan = Plan.building()
        plan.add("in", source: FramesSource(numbers(6)))
        plan.add("few", stage: Third())
        plan.nodes[1].workers = workers
        plan.add("slow", stage: Pass())
        var sink = NotingSink { _, time in times.withLock { $0.append(time) } }
        sink.mayBlock = false
        plan.add("out", sink: sink)
        var options = Run.Options()
        options.clock = VirtualClock()
        options.serviceTimes = ["few": 10_000_000, "slow": 100_000_000, "out": 5_000_000]
        let report = await Run(plan, options: options).finished()
        #expect(report.isSuccess)
        #expect(times.withLock { $0 } == [135, 270])
        let took = report.ledger.nodes.map { ($0.p50 ?? 0) / 1_000_000 }
        #expect((9...10).contains(took[1]) && (95...105).contains(took[2]), "\(took)")
    }

    @Test("Delivery: while a stage processes a slow frame, its earlier results are delivered", .timeLimit(.minutes(1)))
    func computing() async {
        let (written, missed) = (Notes(), Notes())
        var plan = Plan.building()
        plan.add("in", source: FramesSource(numbers(3)))
        plan.add("slow", stage: SlowStage(written: written, missed: missed))
        plan.add("out", sink: NotingSink { value, _ in written.add(value) })
        let report = await Run(plan).finished()
        #expect(report.isSuccess)
        #expect(missed.values == [])
    }

    @Test("Delivery: when the only reader leaves, work stops and the run ends successfully")
    func readerGone() async {
        let written = Lock<[Int]>([])
        var plan = Plan.building()
        plan.shutdownTimeoutMs = 1000
        plan.add("in", source: FramesSource(numbers(1000)))
        plan.add("slow", stage: Pass())
        plan.add("next", stage: Pass(), policy: EdgePolicy())
        plan.add("out", sink: NotingSink(until: 3) { value, _ in written.withLock { $0.append(value) } })
        var options = Run.Options()
        options.clock = VirtualClock()
        options.serviceTimes = ["slow": 100_000_000]
        let report = await Run(plan, options: options).finished()
        #expect(report.isSuccess, "\(report.notEnded) \(report.violations) \(report.failures)")
        #expect(report.notEnded == [])
        #expect(written.withLock { $0 } == [0, 1, 2])
        #expect(report.ledger.losses == 0)
    }

    @Test("Delivery: when the only reader leaves, a pending call of an asynchronous stage is canceled")
    func readerGoneBehindCalls() async {
        var plan = Plan.building()
        plan.shutdownTimeoutMs = 1000
        plan.add("in", source: FramesSource(numbers(1000)))
        plan.add("before", stage: Pass(), policy: EdgePolicy())
        plan.add("calls", asyncStage: Calls())
        plan.add("out", sink: NotingSink(until: 1) { _, _ in })
        var options = Run.Options()
        options.clock = VirtualClock()
        let report = await Run(plan, options: options).finished()
        #expect(report.isSuccess, "\(report.notEnded) \(report.violations) \(report.failures)")
        #expect(report.ledger.losses == 0)
        #expect(report.duration < 1_000_000_000)
    }

    @Test("Delivery: when one of two readers leaves, the other gets all frames in flight")
    func oneReaderGone() async {
        let out = Collector<TestNumber>()
        var plan = Plan.building()
        plan.add("in", source: FramesSource(numbers(40)))
        plan.add("slow", stage: Pass())
        plan.add("gone", sink: NotingSink(until: 3) { _, _ in }, from: ["slow"])
        plan.add("all", sink: out.sink(mayBlock: true), from: ["slow"])
        var options = Run.Options()
        options.clock = VirtualClock()
        options.serviceTimes = ["slow": 50_000_000]
        let report = await Run(plan, options: options).finished()
        #expect(report.isSuccess)
        #expect(out.frames.map(\.payload.value) == Array(0..<40))
    }

    @Test("Delivery: a canceled run still delivers what was computed before", arguments: [false, true])
    func forced(behindQueue: Bool) async {
        let out = Collector<TestNumber>()
        var plan = Plan.building()
        plan.shutdownTimeoutMs = 2550
        plan.add("in", source: FramesSource(numbers(50)))
        plan.add("slow", stage: Pass())
        if behindQueue { plan.add("next", stage: Pass(), policy: EdgePolicy()) }
        plan.add("out", sink: out.sink(mayBlock: true))
        var options = Run.Options()
        options.clock = VirtualClock()
        options.serviceTimes = ["slow": 1_000_000_000, "out": 3_000_000]
        options.durationMs = 1
        let report = await Run(plan, options: options).finished()
        #expect(report.notEnded == ["slow"])
        #expect(out.frames.map(\.payload.value).prefix(2) == [0, 1])
        #expect(out.isClosed)
        #expect(report.violations == [])
    }

    @Test("Delivery: frames queued before a slow sink are written although the run is canceled")
    func forcedSink() async {
        let out = Collector<TestNumber>()
        var plan = Plan.building()
        plan.shutdownTimeoutMs = 50
        plan.add("in", source: FramesSource(numbers(300)))
        plan.add("quick", stage: Pass())
        plan.add("out", sink: out.sink(mayBlock: true))
        var options = Run.Options()
        options.clock = VirtualClock()
        options.serviceTimes = ["out": 30_000_000]
        options.durationMs = 100
        let report = await Run(plan, options: options).finished()
        #expect(report.notEnded == ["out"])
        // When told to end, the sink takes all existing frames at once, so none is left in the queue.
        let passed = report.ledger.nodes.first { $0.id == "quick" }?.emitted ?? 0
        let dropped = report.ledger.edges.first { $0.to == "out" }?.droppedTotal ?? 0
        #expect(Int64(out.frames.count) == passed - dropped)
        #expect(out.frames.count >= 64)
        #expect(report.violations == [])
    }

    @Test("Delivery: the report names a stuck sink, but no sink that only waits for the same stage")
    func names() async {
        let out = Collector<TestNumber>()
        var plan = Plan.building()
        plan.shutdownTimeoutMs = 50
        plan.add("in", source: FramesSource(numbers(1000)))
        plan.add("stage", stage: Pass())
        plan.add("harmless", sink: out.sink(mayBlock: true), from: ["stage"])
        plan.add("stuck", sink: Collector<TestNumber>().sink(mayBlock: true), from: ["stage"])
        var options = Run.Options()
        options.clock = VirtualClock()
        options.serviceTimes = ["stuck": 1_000_000_000_000]
        options.durationMs = 100
        let report = await Run(plan, options: options).finished()
        #expect(report.notEnded == ["stuck"])
    }
}
