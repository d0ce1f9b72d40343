import PipelineTesting
import Testing

@testable import Pipeline

private struct Pass: Stage {
    mutating func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) {
        emitter.emit(number)
    }
}

/// Passes on one frame in `every` of the given streams, or of all streams if none is given.
private struct Some: Stage {
    var streams: [StreamID] = []
    var every = 1
    private var seen = 0

    init(_ streams: [StreamID] = [], every: Int = 1) {
        self.streams = streams
        self.every = every
    }

    mutating func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) {
        guard streams.isEmpty || streams.contains(header.stream) else { return emitter.drop("filtered") }
        defer { seen += 1 }
        if seen % every == 0 { emitter.emit(number) }
    }
}

private struct Rename: Stage {
    let name: StreamID?

    var renamesStreams: Bool { true }

    mutating func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) {
        emitter.emit(number, stream: name ?? StreamID("x/\(header.stream.name)"))
    }
}

/// Takes 0 to `steps` milliseconds for a frame, depending on its number.
private struct Dawdle: AsyncStage {
    let steps: Int
    var clock: (any RunClock)?

    init(steps: Int) { self.steps = steps }

    mutating func open(_ context: AsyncStageContext) async throws { clock = context.clock }

    func process(_ frame: Frame<TestNumber>) async throws -> [TestNumber] {
        let delay = Int64(frame.payload.value * 7 % (steps + 1))
        if let clock, delay > 0 { try await clock.sleep(until: clock.now + delay * 1_000_000) }
        return [frame.payload]
    }
}

/// Emits a number that encodes a set: six digits for each frame, 999,999 for an absent one.
private struct Encode: AlignedStage {
    typealias Element = TestNumber
    var alignment = Alignment()

    mutating func process(
        _ set: Aligned<TestNumber>, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) {
        emitter.emit(TestNumber(set.values.reduce(0) { $0 * 1_000_000 + ($1?.value ?? 999_999) }))
    }
}

/// Emits the given count of frames for each frame.
private struct Copies: Stage {
    let count: Int

    mutating func process(
        _ payload: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) {
        for _ in 0..<count { emitter.emit(payload) }
    }
}

private struct Outcome {
    let report: RunReport
    let frames: [Frame<TestNumber>]

    var lines: [String] { frames.map { "\($0.stream) \($0.timestamp.rawValue) \($0.payload.value)" } }

    func times(of stream: StreamID) -> [Int64] { frames.filter { $0.stream == stream }.map(\.timestamp.rawValue) }
}

private func run(_ build: (inout Plan) -> Void) async -> Outcome {
    let out = Collector<TestNumber>()
    var plan = Plan.building()
    build(&plan)
    plan.add("out", sink: out.sink())
    var options = Run.Options()
    options.clock = VirtualClock()
    return Outcome(report: await Run(plan, options: options).finished(), frames: out.frames)
}

/// Returns `count` frames of each stream, one stream after the other at every step. Each stream has a clock that shows its start
/// value at the first frame.
private func frames(_ count: Int, _ starts: [(StreamID, Int64)], step: Int64 = 1000) -> [Frame<TestNumber>] {
    (0..<count).flatMap { index in
        starts.map { stream, start in
            Frame(
                TestNumber(index), at: .microseconds(start + Int64(index) * step), stream: stream,
                sequence: Int64(index))
        }
    }
}

@Suite("Merges in a batch run")
struct MergeRunTests {
    /// Checks what every merge must guarantee: no frame is lost, and every stream is in order of time.
    private func expectComplete(_ outcome: Outcome, _ counts: [StreamID: Int], _ comment: Comment? = nil) {
        #expect(outcome.report.isSuccess, "\(outcome.report.failures) \(outcome.report.violations)")
        #expect(outcome.report.ledger.losses == 0)
        for (stream, count) in counts {
            let times = outcome.times(of: stream)
            #expect(times.count == count, comment)
            #expect(times == times.sorted(), comment)
        }
    }

    @Test(
        "Batch merges: branches of one source are merged without loss if its streams have different clocks",
        arguments: [true, false])
    func branches(alternates: Bool) async {
        var input = frames(500, [("q", 10_000_000_000), ("p", 0)])
        if !alternates { input = input.filter { $0.stream == "q" } + input.filter { $0.stream == "p" } }
        var results: [[String]] = []
        for size in [1, 7, 64, 1000] {
            let outcome = await run { plan in
                plan.add("in", source: FramesSource(input, batchSize: size))
                plan.add("p", stage: Some(["p"]), from: ["in"])
                plan.add("q", stage: Some(["q"]), from: ["in"])
                plan.add("few", stage: Some(every: 200), from: ["in"])
                plan.add("both", stage: Pass(), from: ["p", "q", "few"])
            }
            expectComplete(outcome, ["p": 503, "q": 503], "\(size)")
            results.append(outcome.lines)
        }
        #expect(results.allSatisfy { $0 == results[0] })
    }

    @Test(
        "Batch merges: two sources of the same streams, with different clocks, are merged by the time of each stream"
    )
    func sources() async {
        var results: [[String]] = []
        for (first, second) in [(1, 64), (64, 1), (5, 1000)] {
            let outcome = await run { plan in
                plan.add(
                    "a", source: FramesSource(frames(500, [("q", 10_000_000), ("p", 0)]), batchSize: first))
                plan.add(
                    "b", source: FramesSource(frames(500, [("q", 1000), ("p", 5_000_000)]), batchSize: second))
                plan.add("both", stage: Pass(), from: ["a", "b"])
            }
            expectComplete(outcome, ["p": 1000, "q": 1000])
            results.append(outcome.lines)
        }
        #expect(results.allSatisfy { $0 == results[0] })
    }

    @Test(
        "Batch merges: an edge that bypasses a first merge may deliver many frames early, and the second merge loses none",
        arguments: [true, false])
    func mergedTwice(isAligned: Bool) async {
        let outcome = await run { plan in
            plan.add("a", source: FramesSource(frames(300, [("p", 0)])))
            plan.add("b", source: FramesSource(frames(300, [("q", 0)])))
            if isAligned {
                plan.add("first", stage: Encode(), from: ["a", "b"])
            } else {
                plan.add("first", stage: Pass(), from: ["a", "b"])
            }
            // This edge delivers four frames for each frame that waits at the first node, where up to 64 wait.
            plan.add("four", stage: Copies(count: 4), from: ["a"])
            plan.add("second", stage: Pass(), from: ["first", "four"], policy: EdgePolicy(capacity: 500))
        }
        expectComplete(outcome, ["p": 1500, "q": 300])
    }

    @Test(
        "Batch merges: an edge may bypass several merges in a row, in each of which its frames wait",
        arguments: [1, 2, 3], [true, false])
    func mergedInARow(count: Int, isAligned: Bool) async {
        let outcome = await run { plan in
            plan.add("a", source: FramesSource(frames(500, [("p", 1000)])))
            // Frames of p wait for this source in each merge until there is no more room.
            plan.add("b", source: FramesSource(frames(500, [("q", 1000)])))
            var from = "a"
            for merge in 0..<count {
                if isAligned, merge == 0 {
                    plan.add("m0", stage: Encode(), from: ["a", "b"])
                } else {
                    plan.add("m\(merge)", stage: Pass(), from: [from, "b"])
                }
                from = "m\(merge)"
            }
            plan.add("all", stage: Pass(), from: [from, "a"])
        }
        expectComplete(outcome, ["p": 1000, "q": 500 * count])
    }

    @Test("Batch merges: the order of streams downstream of a merge does not depend on capacities and batch sizes")
    func capacities() async {
        // Source b brings p late, when more frames of source a wait for it than there is room for.
        let second = frames(500, [("r", 50), ("p", 400_000)]).filter { $0.stream == "r" || $0.payload.value >= 200 }
        var results: [[String]] = []
        for (capacity, size) in [(nil, 64), (64, 1), (65, 7), (200, 64), (1000, 1000)] as [(Int?, Int)] {
            let policy = capacity.map { EdgePolicy(capacity: $0) }
            let outcome = await run { plan in
                plan.add("a", source: FramesSource(frames(500, [("p", 0), ("q", 9_000_000)]), batchSize: size))
                plan.add("b", source: FramesSource(second, batchSize: size))
                plan.add("all", stage: Pass(), from: ["a", "b"], policy: policy)
            }
            results.append(outcome.lines)
        }
        for lines in results.dropFirst() { #expect(lines == results[0]) }
    }

    @Test("Batch merges: recordings with one clock are merged in the order of time, across streams and sources")
    func oneClock() async {
        let outcome = await run { plan in
            plan.add("a", source: FramesSource(frames(300, [("p", 0)])))
            plan.add("b", source: FramesSource(frames(300, [("q", 100_500)])))
            plan.add("c", source: FramesSource(frames(300, [("r", 900_000)])))
            plan.add("all", stage: Pass(), from: ["c", "a", "b"])
        }
        expectComplete(outcome, ["p": 300, "q": 300, "r": 300])
        let times = outcome.frames.map(\.timestamp)
        #expect(times == times.sorted())
    }

    @Test(
        "Batch merges: a branch that renames streams and seldom sends frames blocks no other branch",
        arguments: [true, false])
    func renamed(isSame: Bool) async {
        let input = frames(3000, [("p", 0)])
        let merged = await run { plan in
            plan.add("in", source: FramesSource(input))
            plan.add("few", stage: Some(every: 1000), from: ["in"])
            plan.add("renamed", stage: Rename(name: isSame ? "p" : nil), from: ["few"])
            plan.add("both", stage: Pass(), from: ["in", "renamed"])
        }
        expectComplete(merged, isSame ? ["p": 3003] : ["p": 3000, "x/p": 3])
        let joined = await run { plan in
            plan.add("in", source: FramesSource(input))
            plan.add("few", stage: Some(every: 1000), from: ["in"])
            plan.add("renamed", stage: Rename(name: isSame ? "p" : nil), from: ["few"])
            plan.add("both", stage: Encode(), from: ["in", "renamed"])
        }
        expectComplete(joined, isSame ? ["p": 3000] : ["p": 3000, "x/p": 3])
    }

    @Test("Batch merges: a join does not wait for a stream that an edge never brings")
    func neverShown() async {
        let outcome = await run { plan in
            plan.add("a", source: FramesSource(frames(500, [("p", 0), ("s", 0)])))
            plan.add("b", source: FramesSource(frames(500, [("q", 7_000_000), ("s", 0)])))
            plan.add("both", stage: Encode(), from: ["a", "b"])
        }
        expectComplete(outcome, ["p": 500, "q": 500, "s": 500])
        #expect(outcome.frames.filter { $0.stream == "s" }.map(\.payload.value) == (0..<500).map { $0 * 1_000_001 })
    }

    @Test(
        "Batch merges: joins and merges of branches with unequal delays emit streams in the same order every time",
        arguments: [true, false])
    func unequalDelay(isJoin: Bool) async {
        var results: [[String]] = []
        for round in 0..<12 {
            let outcome = await run { plan in
                let input = frames(60, [("p", 0), ("q", 500), ("r", 5_000_000), ("s", 250)])
                plan.add("in", source: FramesSource(input, batchSize: 1 + round * 5))
                plan.add("slow", asyncStage: Dawdle(steps: round * 3), from: ["in"])
                plan.add("slower", asyncStage: Dawdle(steps: 11 - round), from: ["slow"])
                plan.add("fast", stage: Some(["p", "q", "r"]), from: ["in"])
                if isJoin {
                    plan.add("both", stage: Encode(), from: ["slower", "fast"])
                } else {
                    plan.add("both", stage: Pass(), from: ["slower", "fast"])
                }
            }
            expectComplete(outcome, isJoin ? ["p": 60, "s": 60] : ["p": 120, "s": 60])
            results.append(outcome.lines)
        }
        #expect(Set(results).count == 1)
    }

    @Test("Batch merges: two merges that take from the same two sources do not block each other")
    func crosswise() async {
        let outcome = await run { plan in
            plan.add("a", source: FramesSource(frames(1000, [("p", 0)])))
            plan.add("b", source: FramesSource(frames(1000, [("q", 500)])))
            plan.add("noneA", stage: Some(["x"]), from: ["a"])
            plan.add("noneB", stage: Some(["x"]), from: ["b"])
            plan.add("first", stage: Pass(), from: ["a", "noneB"])
            plan.add("second", stage: Pass(), from: ["b", "noneA"])
            plan.add("all", stage: Pass(), from: ["first", "second", "a"])
        }
        expectComplete(outcome, ["p": 2000, "q": 1000])
    }

    @Test("Batch merges: a stream that ends and starts over also does so downstream of a merge")
    func epochs() async {
        var items = frames(100, [("p", 0), ("q", 9_000_000)]).map { FramesSource<TestNumber>.Item.frame($0) }
        items += [.end("p")] + frames(100, [("p", 0), ("q", 10_000_000)]).map { .frame($0) }
        let outcome = await run { plan in
            plan.add("in", source: FramesSource(items: items, batchSize: 9))
            plan.add("few", stage: Some(every: 3), from: ["in"])
            plan.add("both", stage: Pass(), from: ["in", "few"])
        }
        #expect(outcome.report.isSuccess, "\(outcome.report.failures)")
        #expect(outcome.report.ledger.losses == 0)
        let times = outcome.times(of: "p")
        #expect(times.count == 268)
        #expect(zip(times, times.dropFirst()).count { $0 > $1 } == 1)
    }

    @Test(
        "Batch merges: a stream that starts over also does so where edges merge again, even if one of them has finished"
    )
    func epochsMergedTwice() async {
        func frame(_ stream: StreamID, _ time: Int64, _ number: Int64) -> FramesSource<TestNumber>.Item {
            .frame(Frame(TestNumber(0), at: .microseconds(time), stream: stream, sequence: number))
        }
        let items = [
            frame("p", 1000, 0), frame("p", 1500, 1), .end("p"), frame("p", 2500, 2), frame("q", 3000, 0),
            frame("p", 3500, 3), frame("q", 4000, 1),
        ]
        for size in [1, 7] {
            let outcome = await run { plan in
                plan.add("a", source: FramesSource(items: [frame("r", 100, 0)], batchSize: size))
                plan.add("b", source: FramesSource(items: items, batchSize: size))
                plan.add("first", stage: Pass(), from: ["a", "b"])
                plan.add("both", stage: Pass(), from: ["first", "a", "b"])
            }
            #expect(outcome.report.isSuccess, "\(outcome.report.failures)")
            #expect(outcome.report.ledger.losses == 0)
            #expect(outcome.times(of: "p") == [1000, 1000, 1500, 1500, 2500, 2500, 3500, 3500])
            #expect(outcome.times(of: "q") == [3000, 3000, 4000, 4000])
            #expect(outcome.times(of: "r") == [100, 100])
        }
    }

    @Test(
        "Batch merges: a stream that begins again on two edges is merged in order, or the run fails: nothing is dropped"
    )
    func restarts() async {
        func frames(_ times: [Int64]) -> [Frame<TestNumber>] {
            times.enumerated().map { Frame(TestNumber($0), at: .microseconds($1), stream: "p", sequence: Int64($0)) }
        }
        let rules = SourceRules(onDisorder: .newEpoch)
        for (first, second) in [
            ([1000, 2000, 3000, 1500, 2500, 9000], [1000, 2200, 2300, 1600, 1700, 8000]),
            ([1000, 2000, 1500], [1000, 2200, 2300]), ([5, 6], [1, 2, 1]),
        ] as [([Int64], [Int64])] {
            let outcome = await run { plan in
                plan.add("a", source: FramesSource(frames(first)), rules: rules)
                plan.add("b", source: FramesSource(frames(second)), rules: rules)
                plan.add("both", stage: Pass(), from: ["a", "b"])
            }
            let late = outcome.report.ledger.nodes.reduce(0) { $0 + ($1.dropped["late"] ?? 0) }
            let codes = outcome.report.failures.map(\.error.code)
            #expect(late == 0 && codes.isEmpty || codes == ["join.out_of_step"], "\(first) \(second) \(codes)")
            #expect(outcome.report.violations == [])
            if codes.isEmpty { #expect(outcome.frames.count == first.count + second.count) }
        }
    }

    @Test(
        "Batch merges: a merge that would need unlimited memory ends the run with an error that names the remedy"
    )
    func outOfStep() async throws {
        let outcome = await run { plan in
            plan.add("a", source: FramesSource(frames(6000, [("q", 100_000_000), ("p", 0)])))
            plan.add("b", source: FramesSource(frames(6000, [("q", 0), ("p", 100_000_000)])))
            plan.add("both", stage: Pass(), from: ["a", "b"])
        }
        let failure = try #require(outcome.report.failures.first)
        #expect(failure.error.code == "join.out_of_step")
        #expect(failure.error.message.contains("→ both"))
        #expect(failure.error.help?.contains("map_stream") == true)
        #expect(outcome.report.violations == [])
    }
}
