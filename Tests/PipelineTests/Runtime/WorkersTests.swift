import PipelineTesting
import Synchronization
import Testing

@testable import Pipeline
@testable import PipelineConfiguration

/// Passes a number on when `count` frames are being processed at the same time. Fails if that takes longer than 20 s.
private struct Meet: Stage {
    let here: Meeting
    let count: Int

    mutating func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) throws {
        guard here.join(count) else { throw PipelineError.frame("meet.alone", "nobody else came") }
        emitter.emit(number)
    }
}

private final class Meeting: Sendable {
    private let arrived = Atomic<Int>(0)

    func join(_ count: Int) -> Bool {
        let mine = arrived.add(1, ordering: .sequentiallyConsistent).newValue
        let wanted = (mine + count - 1) / count * count
        let clock = ContinuousClock()
        let end = clock.now + .seconds(20)
        while arrived.load(ordering: .sequentiallyConsistent) < wanted { if clock.now > end { return false } }
        return true
    }
}

private struct Forward: Stage {
    mutating func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) { emitter.emit(number) }
}

/// Emits each number when the next one arrives, and the last one at the end. Cannot process some numbers, and drops others.
private struct Moody: Stage {
    var failsOn: Int?
    var skips = 3
    private var held: TestNumber?

    init(failsOn: Int? = nil, skips: Int = 3) { (self.failsOn, self.skips) = (failsOn, skips) }

    mutating func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) throws {
        if number.value == failsOn { throw PipelineError.frame("moody.ends", "not this one") }
        if number.value % 7 == skips { throw PipelineError.frame("moody.skips", "not \(number.value)") }
        if number.value % 5 == 1 { return emitter.drop("moody") }
        if let held { emitter.emit(held) }
        held = number
    }

    mutating func finish(into emitter: borrowing Emitter<TestNumber>) {
        if let held { emitter.emit(held) }
    }
}

private func frames(_ count: Int, streams: Int) -> [Frame<TestNumber>] {
    (0..<count).map {
        Frame(
            TestNumber($0), at: .microseconds(Int64($0) * 10), stream: StreamID("s\($0 * $0 % streams)"),
            sequence: Int64($0))
    }
}

@Suite("Workers that share the streams of a segment", .timeLimit(.minutes(5)))
struct WorkersTests {
    private struct Outcome: Equatable {
        var frames: [Frame<TestNumber>]
        var errors: [Int64]
        var drops: [DropRecord]
        var lines: [String]
        var counts: [[Int64]]
    }

    private func run(_ workers: Int, maxStreams: Int = 10_000, mayBlock: Bool = false) async -> Outcome {
        let (out, errors, drops) = (Collector<TestNumber>(), Collector<FailedFrame>(), DropLog())
        let lines = Lock<[String]>([])
        var options = Run.Options()
        options.onDrop = { drops.add($0) }
        options.log = Log { line in lines.withLock { $0.append(line.text) } }
        var plan = Plan.building()
        plan.maxStreams = maxStreams
        plan.add("in", source: FramesSource(frames(2000, streams: 37)))
        plan.add("first", stage: Moody(), onError: .skip)
        plan.nodes[1].workers = workers
        plan.add("second", stage: Moody(skips: 4), onError: .route)
        plan.add("out", sink: out.sink(mayBlock: mayBlock))
        plan.add("errors", sink: errors.sink(), from: ["second.errors"])
        let report = await Run(plan, options: options).finished()
        #expect(report.isSuccess, "\(report.failures) \(report.violations)")
        return Outcome(
            frames: out.frames, errors: errors.frames.map(\.sequence), drops: drops.records,
            lines: lines.withLock { $0 },
            counts: report.ledger.nodes.map {
                [$0.received, $0.passed, $0.absorbed, $0.droppedTotal, $0.failed, $0.emitted]
            })
    }

    @Test(
        "Workers: frames, errors, drops, log lines and counts are the same as with one worker, in the same order",
        arguments: [2, 3, 8],
        [3, 10_000])
    func same(workers: Int, maxStreams: Int) async {
        for mayBlock in [false, true] {
            let alone = await run(1, maxStreams: maxStreams, mayBlock: mayBlock)
            #expect(!alone.frames.isEmpty && !alone.errors.isEmpty && !alone.drops.isEmpty && alone.lines.count > 5)
            #expect(await run(workers, maxStreams: maxStreams, mayBlock: mayBlock) == alone)
        }
    }

    @Test(
        "Workers: frames of different streams are processed at the same time", arguments: [2, 4], [Mode.batch, .live])
    func together(workers: Int, mode: Mode) async {
        let out = Collector<TestNumber>()
        let given = (0..<40).map {
            Frame(
                TestNumber($0), at: .microseconds(Int64($0)), stream: StreamID("\($0 % workers)"),
                sequence: Int64($0))
        }
        var plan = Plan.building(mode: mode)
        plan.add("in", source: FramesSource(given))
        plan.add("meet", stage: Meet(here: Meeting(), count: workers))
        plan.nodes[1].workers = workers
        plan.add("out", sink: out.sink())
        let report = await Run(plan).finished()
        #expect(report.isSuccess, "\(report.failures)")
        #expect(out.frames.map(\.payload.value) == Array(0..<40))
    }

    @Test("Workers: a failure ends the run at the same frame with any number of workers", arguments: [1, 2, 8])
    func failure(workers: Int) async {
        for failsOn in [0, 5, 702, 1990] {
            let out = Collector<TestNumber>()
            var plan = Plan.building()
            plan.add("in", source: FramesSource(frames(2000, streams: 37)))
            // No number has this remainder, so `failsOn` is the only number that it cannot process.
            plan.add("moody", stage: Moody(failsOn: failsOn, skips: 7), onError: .fail)
            plan.nodes[1].workers = workers
            plan.add("out", sink: out.sink())
            let report = await Run(plan).finished()
            #expect(report.failures.map(\.node) == ["moody"])
            #expect(report.failures.map(\.error.code) == ["moody.ends"])
            #expect(out.frames.map(\.payload.value) == emitted(before: failsOn))
            #expect(report.violations == [])
        }
    }

    /// Returns what `Moody` emits for the numbers before one that it cannot process: each number when the next one of its stream
    /// arrives.
    private func emitted(before end: Int) -> [Int] {
        var held: [StreamID: Int] = [:]
        return frames(end, streams: 37).filter { $0.payload.value % 5 != 1 }.compactMap { frame in
            defer { held[frame.stream] = frame.payload.value }
            return held[frame.stream]
        }
    }

    // Frames arrive every 10 ms and take 50 ms. Frame 0 is begun at 0 ms. With several workers, frame 1 is taken and waits for the
    // only worker of its stream. Of the others, the edge keeps the newest: frame 4 at 50 ms, just before frame 5 arrives.
    @Test("Workers: behind an edge that drops, at most one frame waits for its worker", arguments: [1, 2, 3, 8])
    func oneWaits(workers: Int) async {
        let out = Collector<TestNumber>()
        var options = Run.Options()
        options.clock = VirtualClock()
        options.serviceTimes = ["work": 50_000_000]
        var plan = Plan.building(mode: .live)
        let events = (0..<20).map { number in
            TimelineSource<TestNumber>.Event(
                at: Int64(number) * 10_000,
                Frame(
                    TestNumber(number * 5), at: .milliseconds(Int64(number) * 10), stream: "pen",
                    sequence: Int64(number)))
        }
        plan.add("in", source: TimelineSource(events))
        plan.add("work", stage: Forward(), policy: EdgePolicy(capacity: 1, onFull: .dropOldest))
        plan.nodes[1].workers = workers
        plan.add("out", sink: out.sink())
        let report = await Run(plan, options: options).finished()
        #expect(report.isSuccess, "\(report.failures) \(report.violations)")
        let passed = out.frames.map { $0.payload.value / 5 }
        #expect(passed == (workers == 1 ? [0, 4, 9, 14, 19] : [0, 1, 4, 9, 14, 19]))
    }

    @Test(
        "Workers: in simulated time, workers work at the same time, each on its own streams", arguments: [1, 2, 4, 8])
    func simulated(workers: Int) async {
        let out = Collector<TestNumber>()
        var options = Run.Options()
        options.clock = VirtualClock()
        options.serviceTimes = ["work": 10_000_000]
        var plan = Plan.building(mode: .live)
        let events = (0..<40).map { number in
            TimelineSource<TestNumber>.Event(
                at: 0,
                Frame(
                    TestNumber(number), at: .microseconds(Int64(number)), stream: StreamID("\(number % 4)"),
                    sequence: Int64(number)))
        }
        plan.add("in", source: TimelineSource(events))
        plan.add("work", stage: Moody(), policy: EdgePolicy(), onError: .skip)
        plan.nodes[1].workers = workers
        plan.add("out", sink: out.sink())
        let report = await Run(plan, options: options).finished()
        #expect(report.isSuccess)
        // 40 frames of 10 ms. More than four workers cannot share four streams.
        #expect(report.duration == Int64(400_000_000 / min(workers, 4)))
    }

    @Test(
        "Workers: frames that are being processed when a run is canceled are in the ledger, and nothing hangs",
        arguments: [1, 2, 8])
    func cancelled(workers: Int) async {
        let out = Collector<TestNumber>()
        var plan = Plan.building()
        plan.add("in", source: FramesSource(frames(100_000, streams: 11)))
        plan.add("moody", stage: Moody(), onError: .skip)
        plan.nodes[1].workers = workers
        plan.add("out", sink: out.sink())
        let run = Run(plan)
        run.start()
        while run.ledger.nodes[1].passed == 0, !run.hasEnded { await Task.yield() }
        run.cancel()
        let report = await run.finished()
        #expect(report.violations == [])
    }

    @Test("Workers: a reader that leaves ends a graph whose stages have workers")
    func left() async throws {
        let graph = Pipeline.Graph()
        let numbers = graph.source(FramesSource(frames(100_000, streams: 11)))
        let moody = numbers.through(Moody(), onError: .skip, workers: 3)
        var count = 0
        for try await _ in moody {
            count += 1
            if count == 10 { break }
        }
        let report = try await graph.report()
        #expect(report.violations == [])
        #expect(report.failures.isEmpty)
    }

    @Test("Workers: the counters of a node are freed together with those of its workers")
    func freed() {
        weak var whole: NodeMetrics?
        weak var part: NodeMetrics?
        do {
            let metrics = NodeMetrics(id: "a")
            (whole, part) = (metrics, metrics.worker(1))
            #expect(part?.whole === metrics)
        }
        #expect(whole == nil && part == nil)
    }

    @Test("Workers: an invalid number of workers is an error", arguments: [0, -1, 257])
    func wrongNumber(workers: Int) async {
        let flow = Pipeline.Graph().source(FramesSource(frames(3, streams: 1))).through(Moody(), workers: workers)
        await #expect {
            for try await _ in flow {}
        } throws: {
            ($0 as? PipelineError)?.code == "graph.worker_count"
        }
    }
}
