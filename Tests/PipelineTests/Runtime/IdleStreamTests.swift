import PipelineTesting
import Testing

@testable import Pipeline

/// Passes on one frame in `every` of its stream, counted from the first.
private struct Thin: Stage {
    let every: Int
    var seen = 0

    mutating func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) {
        if seen % every == 0 { emitter.emit(number) }
        seen += 1
    }
}

/// Emits the number of frames at the end of its stream.
private struct Tally: Stage {
    var seen = 0

    mutating func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) { seen += 1 }
    mutating func finish(into emitter: borrowing Emitter<TestNumber>) { emitter.emit(TestNumber(seen)) }
}

/// Takes 0 to 4 ms for a frame, depending on its number.
private struct Dawdle: AsyncStage {
    var clock: (any RunClock)?

    mutating func open(_ context: AsyncStageContext) async throws { clock = context.clock }

    func process(_ frame: Frame<TestNumber>) async throws -> [TestNumber] {
        let delay = Int64(frame.payload.value * 7 % 5)
        if let clock, delay > 0 { try await clock.sleep(until: clock.now + delay * 1_000_000) }
        return [frame.payload]
    }
}

@Suite("Streams that are idle")
struct IdleStreamTests {
    private static let hour: Int64 = 3_600_000_000

    /// Returns a frame every 10 ms in the given seconds, by a clock that shows `start` microseconds at second 0. The first
    /// element of each result is the number of 10 ms steps since second 0.
    private func frames(_ stream: StreamID, start: Int64, _ seconds: [Range<Int64>]) -> [(Int64, Frame<TestNumber>)] {
        seconds.flatMap { ($0.lowerBound * 100)..<($0.upperBound * 100) }.map { tick in
            let frame = Frame(
                TestNumber(Int(tick)), at: .microseconds(start + tick * 10_000), stream: stream, sequence: tick)
            return (tick, frame)
        }
    }

    private func together(_ parts: [(Int64, Frame<TestNumber>)]...) -> [Frame<TestNumber>] {
        parts.joined().sorted { ($0.0, $0.1.stream.name) < ($1.0, $1.1.stream.name) }.map(\.1)
    }

    private func run(_ round: Int, isAsync: Bool, _ sources: [[Frame<TestNumber>]]) async -> [String] {
        let out = Collector<TestNumber>()
        var plan = Plan.building()
        plan.streamIdleMs = 3000
        for (number, source) in sources.enumerated() {
            plan.add(
                "in\(number)",
                source: FramesSource(source, batchSize: [1, 7, 64, 1000][(round + number) % 4]))
        }
        // No capacity is above 64: a larger one would let more frames of one source wait for the other source.
        let policy = EdgePolicy(capacity: [1, 3, 64, 50, 20][round % 5])
        plan.add("thin", stage: Thin(every: 50), from: sources.indices.map { "in\($0)" }, policy: policy)
        if isAsync { plan.add("wait", asyncStage: Dawdle(), policy: policy) }
        plan.add("other", stage: Thin(every: 1000), from: ["in0"], policy: policy)
        plan.add("tally", stage: Tally(), from: [isAsync ? "wait" : "thin"], policy: policy)
        plan.add("out", sink: out.sink())
        var options = Run.Options()
        options.clock = VirtualClock()
        if round % 2 == 1 { options.serviceTimes = ["tally": 1_000_000] }
        let report = await Run(plan, options: options).finished()
        #expect(report.isSuccess, "\(report.failures) \(report.violations)")
        #expect(report.ledger.losses == 0)
        return out.frames.map { "\($0.stream) \($0.timestamp.rawValue) \($0.payload.value)" }
    }

    /// Returns the tallies of a stream, in order.
    private func tallies(_ lines: [String], of stream: String) -> [String] {
        lines.map { $0.split(separator: " ") }.filter { $0[0] == stream }.map { String($0[2]) }
    }

    @Test(
        "Idle streams: frames of its own source end an idle stream, at the same frame for any batch size and capacity",
        arguments: [true, false])
    func twoSegments(isAsync: Bool) async {
        // The limit is 3 s. p is idle for 8 s, o twice for 2 s, and q has its own clock.
        let first = together(
            frames("p", start: 0, [0..<2, 10..<12]), frames("q", start: Self.hour, [0..<12]),
            frames("o", start: 5, [0..<3, 5..<8, 10..<11]))
        // Streams of another source that send while p and o are idle: r by the clock of p, s by its own clock.
        let second = together(frames("r", start: 0, [0..<12]), frames("s", start: 3 * Self.hour, [4..<6]))
        var results: [[String]] = []
        for round in 0..<5 {
            let lines = await run(round, isAsync: isAsync, [first])
            #expect(tallies(lines, of: "p") == ["4", "4"])
            #expect(tallies(lines, of: "q") == ["24"])
            #expect(tallies(lines, of: "o") == ["14"])
            results.append(lines)
        }
        #expect(Set(results).count == 1)
        results = []
        for round in 0..<5 {
            let lines = await run(round, isAsync: isAsync, [first, second])
            #expect(tallies(lines, of: "p") == ["4", "4"])
            #expect(tallies(lines, of: "q") == ["24"])
            #expect(tallies(lines, of: "o") == ["14"])
            #expect(tallies(lines, of: "r") == ["24"])
            #expect(tallies(lines, of: "s") == ["4"])
            results.append(lines)
        }
        #expect(Set(results).count == 1)
    }

    @Test("Idle streams: frames of other sources end no stream", arguments: [0, hour])
    func otherSource(start: Int64) async {
        // After second 1, z sends nothing, and p, of the same source, advances by only 3 s. q, of another source, goes on.
        let first = together(frames("p", start: 0, [0..<1, 3..<4]), frames("z", start: Self.hour, [0..<1]))
        let second = together(frames("q", start: start, [0..<60]))
        let lines = await run(0, isAsync: false, [first, second])
        #expect(tallies(lines, of: "p") == ["4"])
        #expect(tallies(lines, of: "z") == ["2"])
        #expect(tallies(lines, of: "q") == ["120"])
    }

    @Test("Idle streams: the largest possible jumps of any number of streams do not overflow")
    func largestJumps() {
        var order = StreamOrder(.init(maxJump: .max), idleMs: 9e12)
        let last = Timestamp.microseconds((1 << 53) - 1)
        for stream in 0..<3000 {
            #expect(order.judge(.zero, StreamID("\(stream)")) == .pass)
            #expect(order.judge(last, StreamID("\(stream)")) == .pass)
        }
    }

    @Test("Idle streams: streams that never return end while the run goes on")
    func gone() {
        var order = StreamOrder(.init(), idleMs: 3000)
        var ended: [StreamID] = []
        for stream in 0..<100 {
            for tick in 0..<100 {
                let time = Timestamp.microseconds(Int64(stream * 100 + tick) * 10_000)
                #expect(order.judge(time, StreamID("\(stream)")) == .pass)
                ended += order.takeEvicted()
            }
        }
        #expect(ended == (0..<96).map { StreamID("\($0)") })
    }

    @Test(
        "Idle streams: a stream that sends all the time is not idle, even if its timestamps do not advance",
        arguments: [DisorderPolicy.clamp, .newEpoch])
    func standingStill(onDisorder: DisorderPolicy) {
        var order = StreamOrder(.init(onDisorder: onDisorder), idleMs: 3000)
        for second in 0..<60 {
            #expect(order.judge(.microseconds(Int64(second) * 1_000_000), "b") == .pass)
            let verdict = order.judge(.zero, "a")
            #expect(second == 0 || verdict != .pass)
            #expect(order.takeEvicted() == [])
        }
    }
}
