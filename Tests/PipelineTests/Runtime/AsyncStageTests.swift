import PipelineTesting
import Synchronization
import Testing

@testable import Pipeline
@testable import PipelineConfiguration

/// Takes as many milliseconds as the number, rounded down to a multiple of ten. Then does what the number's last digit selects.
private struct Worker: AsyncStage {
    static let fails = 1
    static let refuses = 2
    static let absorbs = 3
    static let doubles = 4

    var inFlight = 1
    var clock: (any RunClock)?
    /// The number of calls that have ended before the first one.
    var peak: Peak?

    init(inFlight: Int = 1, peak: Peak? = nil) { (self.inFlight, self.peak) = (inFlight, peak) }

    mutating func open(_ context: AsyncStageContext) async throws { clock = context.clock }

    func process(_ frame: Frame<TestNumber>) async throws -> [TestNumber] {
        let value = frame.payload.value
        if let clock { try await clock.sleep(until: clock.now + Int64(value / 10 * 10) * 1_000_000) }
        peak?.note(isFirst: frame.sequence == 0)
        switch value % 10 {
        case Self.fails: throw PipelineError.frame("worker.failed", "it did not work")
        case Self.refuses: throw Refusal("no_peer")
        case Self.absorbs: return []
        case Self.doubles: return [frame.payload, TestNumber(value + 1)]
        default: return [frame.payload]
        }
    }
}

/// Counts calls until the first one ends.
private final class Peak: Sendable {
    private let state = Lock((count: 0, hasEnded: false))

    var value: Int { state.withLock { $0.count } }

    func note(isFirst: Bool) {
        state.withLock { state in
            if isFirst { state.hasEnded = true } else if !state.hasEnded { state.count += 1 }
        }
    }
}

private struct Outcome {
    let report: RunReport
    let frames: [Frame<TestNumber>]
    let errors: [Frame<FailedFrame>]
    let drops: [DropRecord]

    var values: [Int] { frames.map(\.payload.value) }
    var milliseconds: Int64 { report.duration / 1_000_000 }
}

private func frames(_ numbers: [(value: Int, stream: StreamID)]) -> [Frame<TestNumber>] {
    numbers.enumerated().map { index, number in
        Frame(
            TestNumber(number.value), at: .milliseconds(Int64(index)), stream: number.stream, sequence: Int64(index))
    }
}

/// Runs `source → worker → out` in virtual time.
private func run(
    _ source: some Source<TestNumber>, _ worker: Worker, mode: Mode = .batch, policy: EdgePolicy? = nil,
    onError: ErrorPolicy = .skip, change: (inout Plan, inout Run.Options) -> Void = { _, _ in }
) async -> Outcome {
    let out = Collector<TestNumber>()
    let errors = Collector<FailedFrame>()
    let drops = DropLog()
    var plan = Plan.building(mode: mode)
    plan.add("in", source: source)
    plan.add("worker", asyncStage: worker, policy: policy, onError: onError)
    plan.add("out", sink: out.sink())
    if onError == .route { plan.add("failed", sink: errors.sink(), from: ["worker.errors"]) }
    var options = Run.Options()
    options.clock = VirtualClock()
    options.onDrop = { drops.add($0) }
    change(&plan, &options)
    let report = await Run(plan, options: options).finished()
    return Outcome(report: report, frames: out.frames, errors: errors.frames, drops: drops.records)
}

@Suite("Asynchronous stages")
struct AsyncStageTests {
    @Test("An asynchronous stage processes several frames at once, and emits their results in the order of the frames")
    func order() async {
        let numbers = frames([40, 30, 20, 10].map { ($0, "a") })
        let outcome = await run(FramesSource(numbers), Worker(inFlight: 4))
        #expect(outcome.report.isSuccess)
        #expect(outcome.values == [40, 30, 20, 10])
        #expect(outcome.milliseconds == 40)
        #expect(outcome.frames.map(\.timestamp) == numbers.map(\.timestamp))
        #expect(outcome.frames.map(\.sequence) == [0, 1, 2, 3])
    }

    @Test("By default, an asynchronous stage processes one frame of each stream at a time, and streams in parallel")
    func onePerStream() async {
        let numbers = frames([(40, "a"), (10, "b"), (30, "a"), (20, "b")])
        let outcome = await run(FramesSource(numbers), Worker())
        #expect(outcome.report.isSuccess)
        #expect(outcome.values == [40, 10, 30, 20])
        #expect(outcome.milliseconds == 70)
    }

    @Test(
        "An asynchronous stage never processes more frames of a stream at once than `inFlight`",
        arguments: [1, 2, 3, 8])
    func limit(inFlight: Int) async {
        let outcome = await run(FramesSource(frames((0..<24).map { _ in (10, "a") })), Worker(inFlight: inFlight))
        #expect(outcome.values.count == 24)
        #expect(outcome.milliseconds == Int64(240 / inFlight))
    }

    @Test("In a live run, no stream waits for another stream at an asynchronous stage")
    func streamsApart() async {
        let events = frames([(500, "slow"), (10, "quick"), (10, "quick")]).map {
            TimelineSource<TestNumber>.Event(at: $0.timestamp.rawValue, $0)
        }
        let outcome = await run(TimelineSource(events), Worker(), mode: .live)
        #expect(outcome.report.isSuccess)
        #expect(outcome.values == [10, 10, 500])
    }

    @Test(
        "While one call takes long, an asynchronous stage keeps no frame of another stream after its result was emitted"
    )
    func window() {
        var window = RequestWindow<TestNumber, TestNumber>(perStream: 1, keepsStreamsApart: true)
        window.add(.frame(Frame(TestNumber(0), at: .zero, stream: "slow")))
        let slow = window.begin()
        weak var origin: Origin?
        for time in 1...1000 {
            let next = Origin(line: Int64(time))
            origin = next
            let frame = Frame(TestNumber(time), at: .microseconds(Int64(time)), stream: "quick", origin: next)
            window.add(.frame(frame))
            window.add(.mark(.bound("quick", frame.timestamp)))
            guard let (number, _) = window.begin() else { break }
            window.end(number, .success([frame.payload]))
            guard case .frame(let settled, _) = window.next() else { break }
            #expect(settled.payload.value == time)
            guard case .mark(.bound("quick", frame.timestamp)) = window.next() else { break }
            #expect(window.next() == nil)
        }
        #expect(origin == nil)
        #expect(window.frames == 1)
        window.end(slow?.number ?? 0, .success([]))
        #expect(window.next() != nil)
        #expect(window.isEmpty)
    }

    @Test("In a batch run, few results wait for the result of an earlier call that takes long")
    func resultsWait() async {
        let numbers = [(value: 100_000, stream: StreamID("a"))] + (0..<4000).map { _ in (value: 10, stream: "a") }
        let most = Peak()
        let outcome = await run(FramesSource(frames(numbers)), Worker(inFlight: 2, peak: most))
        #expect(outcome.values == numbers.map(\.value))
        // The window, and the items that were taken from the edge at once.
        #expect(most.value <= AsyncStageTask<Worker>.maxCalls + 256)
    }

    // The stage's task waits for room and for answers with the same waker. Here, 10 is answered while the output of 24 waits for
    // room.
    @Test("An asynchronous stage delivers answers that arrived while it waited for room downstream")
    func answersDuringBackpressure() async {
        let out = Collector<TestNumber>()
        var plan = Plan.building()
        plan.add("in", source: FramesSource(frames([14, 24, 10, 10].map { ($0, "a") })))
        plan.add("worker", asyncStage: Worker())
        plan.add("out", sink: out.sink(), policy: EdgePolicy(capacity: 1))
        let clock = VirtualClock()
        var options = Run.Options()
        options.clock = clock
        options.serviceTimes = ["out": 100_000_000]
        let run = Run(plan, options: options)
        // The run and the timer of its cancellation start inside the simulation. A run that is started outside could begin after
        // the end of the simulation.
        let isSuccess = await clock.run {
            async let report = run.finished()
            try? await clock.sleep(until: clock.now + 10_000_000_000)
            run.cancel()
            return await report.isSuccess
        }
        #expect(isSuccess)
        #expect(out.frames.map(\.payload.value) == [14, 15, 24, 25, 10, 10])
    }

    @Test("An asynchronous stage accounts for every frame, however its call ends")
    func account() async {
        let numbers = frames([10, 11, 12, 13, 14, 15].map { ($0, "a") })
        let outcome = await run(FramesSource(numbers), Worker(), onError: .route)
        #expect(outcome.report.isSuccess)
        #expect(outcome.values == [10, 14, 15, 15])
        let node = outcome.report.ledger.nodes.first { $0.id == "worker" }
        #expect(node?.received == 6)
        #expect(node?.passed == 3)
        #expect(node?.emitted == 4)
        #expect(node?.absorbed == 1)
        #expect(node?.failed == 1)
        #expect(node?.dropped == ["no_peer": 1])
        #expect(outcome.drops.map(\.sequence) == [2])
        #expect(outcome.errors.map(\.sequence) == [1])
        #expect(outcome.errors.first?.payload.error.code == "worker.failed")
    }

    @Test("An asynchronous stage counts lost frames in the gap of the stream's next frame")
    func gaps() async {
        let numbers = frames([(10, "a"), (11, "a"), (10, "b"), (12, "a"), (10, "a"), (10, "a")])
        let outcome = await run(FramesSource(numbers), Worker())
        #expect(outcome.frames.map(\.stream) == ["a", "b", "a", "a"])
        #expect(outcome.frames.map(\.gap) == [0, 0, 2, 0])
    }

    @Test("With the policy fail, a failed call of an asynchronous stage ends the run, and the error locates the frame")
    func failure() async {
        let outcome = await run(
            FramesSource(frames([10, 11, 10, 10].map { ($0, "a") })), Worker(), onError: .fail)
        #expect(outcome.values == [10])
        #expect(outcome.report.failures.map(\.node) == ["worker"])
        #expect(outcome.report.failures.first?.error.code == "worker.failed")
        #expect(outcome.report.failures.first?.error.location == "stream a, frame 1 at 0.001000 s")
        #expect(outcome.report.violations == [])
    }

    @Test(
        "An asynchronous stage holds the credit of a frame until its call has ended, so frames that arrive meanwhile are dropped"
    )
    func busy() async {
        let events = (0..<20).map { index in
            let time = Int64(index) * 7000
            return TimelineSource<TestNumber>.Event(
                at: time, Frame(TestNumber(20), at: .microseconds(time), stream: "a", sequence: Int64(index)))
        }
        let outcome = await run(
            TimelineSource(events), Worker(), mode: .live,
            policy: EdgePolicy(capacity: 1, onFull: .dropOldest, inFlight: 1))
        #expect(outcome.report.isSuccess)
        // Calls start at 0, then every 20 ms with the newest frame: at 20 ms with the frame of 14 ms, at 40 ms with the frame of
        // 35 ms, and so on. The last waiting frame is not lost.
        #expect(outcome.frames.map(\.sequence) == [0, 2, 5, 8, 11, 14, 17, 19])
        #expect(outcome.drops.count == 12)
    }

    @Test(
        "An asynchronous stage is canceled after the shutdown timeout, and its remaining frames are dropped as canceled"
    )
    func cancelled() async {
        let numbers = frames([(10, "a"), (1_000_000, "a"), (10, "a"), (10, "b")])
        let outcome = await run(FramesSource(numbers), Worker()) { plan, options in
            options.durationMs = 100
            plan.shutdownTimeoutMs = 50
        }
        #expect(outcome.report.notEnded.contains("worker"))
        #expect(outcome.report.violations == [])
        let node = outcome.report.ledger.nodes.first { $0.id == "worker" }
        #expect(node?.dropped == ["cancelled": 3])
        #expect(outcome.values == [10])
    }

    @Test(
        "A recognizer with an asynchronous stage refuses the modes whose calls return results",
        arguments: RunningMode.allCases)
    func recognizer(mode: RunningMode) async throws {
        var options = Recognizer<TestNumber, TestNumber>.Options()
        options.runningMode = mode
        options.resultsAreSequence = mode == .live
        var plan = Plan.building(mode: mode == .live ? .live : .batch)
        plan.add("in", source: FramesSource<TestNumber>([]))
        plan.add(
            "worker", asyncStage: Worker(),
            policy: mode == .live ? EdgePolicy(capacity: 1, onFull: .dropOldest, inFlight: 1) : nil)
        guard mode != .live else {
            let recognizer = try Recognizer<TestNumber, TestNumber>(plan, options: options)
            try await recognizer.close()
            return
        }
        let error = #expect(throws: PipelineError.self) {
            _ = try Recognizer<TestNumber, TestNumber>(plan, options: options)
        }
        #expect(error?.code == "recognizer.asynchronous")
        #expect(
            error?.message == "the running mode \(mode) needs stages that answer at once, and worker is asynchronous")
    }

    @Test("An asynchronous stage can process any asynchronous sequence of frames")
    func sequence() async throws {
        let numbers = AsyncStream<Frame<TestNumber>> { continuation in
            for frame in frames([0, 2, 3, 4].map { ($0, "a") }) { continuation.yield(frame) }
            continuation.finish()
        }
        var values: [Int] = []
        for try await frame in numbers.through(Worker()) { values.append(frame.payload.value) }
        #expect(values == [0, 4, 5])
    }

    @Test("A sequence through an asynchronous stage ends with the error of a failed call")
    func sequenceFailure() async throws {
        let numbers = AsyncStream<Frame<TestNumber>> { continuation in
            for frame in frames([0, 1, 0].map { ($0, "a") }) { continuation.yield(frame) }
            continuation.finish()
        }
        var iterator = numbers.through(Worker()).makeAsyncIterator()
        #expect(try await iterator.next()?.payload.value == 0)
        await #expect(throws: PipelineError.self) { _ = try await iterator.next() }
        #expect(try await iterator.next() == nil)
    }

    @Test("An asynchronous stage is closed when a loop over its sequence ends early", .timeLimit(.minutes(1)))
    func leavingSequence() async throws {
        let (closings, closing) = AsyncStream<Void>.makeStream()
        let numbers = AsyncStream<Frame<TestNumber>> { continuation in
            for frame in frames([0, 5, 6].map { ($0, "a") }) { continuation.yield(frame) }
        }
        for try await frame in numbers.through(Door(closing: closing)) where frame.payload.value == 5 { break }
        var count = 0
        for await _ in closings { count += 1 }
        #expect(count == 1)
    }
}

/// Reports when it is closed.
private struct Door: AsyncStage {
    let closing: AsyncStream<Void>.Continuation

    func process(_ frame: Frame<TestNumber>) async throws -> [TestNumber] { [frame.payload] }

    func close() async {
        closing.yield()
        closing.finish()
    }
}
