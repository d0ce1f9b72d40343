import Pipeline
import PipelineTesting
import Synchronization
import Testing

/// Doubles its input.
private struct Twice: Stage {
    mutating func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) {
        emitter.emit(TestNumber(number.value * 2))
    }
}

/// Adds up its input, and emits the sum when the stream ends.
private struct Sum: Stage {
    var sum = 0

    mutating func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) {
        sum += number.value
    }

    mutating func finish(into emitter: borrowing Emitter<TestNumber>) { emitter.emit(TestNumber(sum)) }
}

/// Passes on odd numbers, drops even ones, and cannot process 13.
private struct Odd: Stage {
    mutating func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) throws {
        if number.value == 13 { throw PipelineError.frame("odd.unlucky", "13 brings bad luck") }
        if number.value % 2 == 0 { return emitter.drop("even") }
        emitter.emit(number)
    }
}

/// Holds the last number back until the stream has been quiet for 10 µs.
private struct Quiet: Stage {
    var held: TestNumber?

    mutating func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) {
        held = number
        emitter.wake(at: header.timestamp.advanced(byMicroseconds: 10))
    }

    mutating func wake(at time: Timestamp, into emitter: borrowing Emitter<TestNumber>) {
        if let held { emitter.emit(held) }
        held = nil
    }

    mutating func finish(into emitter: borrowing Emitter<TestNumber>) {
        if let held { emitter.emit(held) }
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

/// Answers with its input.
private struct Echo: AsyncStage {
    func process(_ frame: Frame<TestNumber>) async -> [TestNumber] { [frame.payload] }
}

/// Emits each number twice, the first time with a timestamp halfway between the previous frame's, or 0, and its own. A frame at 0
/// is emitted once.
private struct Halfway: Stage {
    var last = Timestamp.zero
    var stampsEarlierByUs: Int64 { 1000 }

    mutating func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) {
        let time = header.timestamp
        if time > last { emitter.emit(number, at: .microseconds((last.rawValue + time.rawValue) / 2)) }
        emitter.emit(number)
        last = time
    }
}

private func numbers(_ values: [Int], stream: StreamID = "a", step: Int64 = 1) -> [Frame<TestNumber>] {
    values.enumerated().map { index, value in
        Frame(TestNumber(value), at: .microseconds(Int64(index) * step), stream: stream, sequence: Int64(index))
    }
}

@Suite struct RunTests {
    @Test(
        "Runs: a chain passes every frame once, in order, and its ledger balances", arguments: [1, 7, 64, 1000],
        [false, true])
    func chain(batchSize: Int, ownTask: Bool) async {
        let out = Collector<TestNumber>()
        var plan = Plan.building()
        plan.add("in", source: FramesSource(numbers(Array(0..<1000)), batchSize: batchSize))
        plan.add("twice", stage: Twice())
        plan.add("again", stage: Twice())
        plan.add("out", sink: out.sink(mayBlock: ownTask))
        let report = await Run(plan).finished()
        #expect(report.failures.isEmpty)
        #expect(report.violations == [])
        #expect(out.frames.map(\.payload.value) == (0..<1000).map { $0 * 4 })
        #expect(out.frames.map(\.sequence) == (0..<1000).map { Int64($0) })
        #expect(out.isClosed)
        #expect(report.ledger.nodes.map(\.received) == [1000, 1000, 1000, 1000])
        #expect(report.ledger.nodes.map(\.emitted) == [1000, 1000, 1000, 0])
    }

    @Test(
        "Runs: output at the end of a stream has its last time and is not late, even if the last frame was dropped upstream",
        arguments: [nil, 64], [nil, 10] as [Int64?])
    func timeOfTheEnd(capacity: Int?, announced: Int64?) async {
        let out = Collector<TestNumber>()
        let policy = capacity.map { EdgePolicy(capacity: $0) }
        var plan = Plan.building()
        var items = numbers([1, 3, 4]).map { FramesSource<TestNumber>.Item.frame($0) }
        if let announced { items.append(.bound(.microseconds(announced))) }
        plan.add("in", source: FramesSource(items: items))
        plan.add("odd", stage: Odd(), policy: policy)
        plan.add("sum", stage: Sum(), policy: policy)
        plan.add("twice", stage: Twice(), policy: policy)
        plan.add("out", sink: out.sink(), policy: policy)
        let report = await Run(plan).finished()
        #expect(report.isSuccess)
        #expect(out.frames.map(\.payload.value) == [8])
        #expect(out.frames.map(\.timestamp) == [.microseconds(announced ?? 2)])
        #expect(report.ledger.losses == 0)
    }

    @Test(
        "Runs: a frame that goes back in time after streams were renamed to one is late, and counts in the next gap",
        arguments: ["stage", "asynchronous stage", "sink", "sink that may block"])
    func lateBehindRename(taker: String) async {
        let (out, drops) = (Collector<TestNumber>(), DropLog())
        var plan = Plan.building()
        let times: [(StreamID, Int64)] = [("a", 10), ("b", 5), ("b", 12)]
        plan.add(
            "in",
            source: FramesSource(times.map { Frame(TestNumber(Int($1)), at: .microseconds($1), stream: $0) }))
        plan.add("rename", stage: Rename())
        switch taker {
        case "stage": plan.add("taker", stage: Twice())
        case "asynchronous stage": plan.add("taker", asyncStage: Echo())
        default: plan.add("taker", sink: out.sink(mayBlock: taker != "sink"))
        }
        if !taker.hasPrefix("sink") { plan.add("out", sink: out.sink()) }
        var options = Run.Options()
        options.onDrop = { drops.add($0) }
        let report = await Run(plan, options: options).finished()
        #expect(report.isSuccess)
        #expect(out.frames.map(\.timestamp) == [.microseconds(10), .microseconds(12)])
        #expect(out.frames.map(\.gap) == [0, 1])
        #expect(drops.records.map(\.place) == ["taker"])
        #expect(drops.records.map(\.reason) == [.late])
    }

    @Test(
        "Runs: a stage is woken between two frames that an upstream stage made from one frame, fused or behind an edge",
        arguments: [nil, 64])
    func wokenBetween(capacity: Int?) async {
        let out = Collector<TestNumber>()
        let policy = capacity.map { EdgePolicy(capacity: $0) }
        var plan = Plan.building()
        plan.add("in", source: FramesSource(numbers([1, 2], step: 100)))
        plan.add("halfway", stage: Halfway(), policy: policy)
        plan.add("quiet", stage: Quiet(), policy: policy)
        plan.add("out", sink: out.sink())
        let report = await Run(plan).finished()
        #expect(report.isSuccess)
        #expect(out.frames.map(\.timestamp) == [10, 60, 100].map { .microseconds($0) })
        #expect(out.frames.map(\.payload.value) == [1, 2, 2])
    }

    @Test(
        "Runs: a stage that stamps output earlier than its input loses nothing after a dropping stage, fused or behind an edge",
        arguments: [[1, 4, 3], [1, 4, 4, 3], [1, 4, 4, 4, 4, 3]], [1, 64])
    func earlierThanLetGo(values: [Int], batchSize: Int) async {
        var seen: [[Timestamp]] = []
        for policy in [nil, EdgePolicy()] {
            let out = Collector<TestNumber>()
            var plan = Plan.building()
            plan.add("in", source: FramesSource(numbers(values, step: 100), batchSize: batchSize))
            plan.add("odd", stage: Odd(), policy: policy)
            plan.add("halfway", stage: Halfway(), policy: policy)
            plan.add("twice", stage: Twice(), policy: policy)
            plan.add("quiet", stage: Quiet(), policy: policy)
            plan.add("out", sink: out.sink())
            let report = await Run(plan).finished()
            #expect(report.isSuccess)
            #expect(report.ledger.losses == 0)
            #expect(out.frames.map(\.payload.value) == [2, 6, 6])
            seen.append(out.frames.map(\.timestamp))
        }
        // Each number is emitted when the stream was quiet for 10 µs, the last one at the end.
        let last = Int64(values.count - 1) * 100
        #expect(seen[0] == [10, last / 2 + 10, last].map { .microseconds($0) })
        #expect(seen[0] == seen[1])
    }

    @Test("Runs: a stage that stamps its output earlier than it says fails the frame, and the error says what to do")
    func earlierThanSaid() async {
        struct Early: Stage {
            mutating func process(
                _ payload: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
            ) {
                emitter.emit(payload, at: header.timestamp.advanced(byMicroseconds: -1))
            }
        }
        let out = Collector<TestNumber>()
        var plan = Plan.building()
        plan.add("in", source: FramesSource(numbers([1, 2], step: 100)))
        plan.add("early", stage: Early())
        plan.add("out", sink: out.sink())
        let report = await Run(plan).finished()
        #expect(report.failures.map(\.error.code) == ["stage.timestamp"])
        #expect(report.failures.first?.error.help?.contains("stampsEarlierByUs") ?? false)
        #expect(out.frames.isEmpty)
    }

    @Test(
        "Runs: each stream has its own instances of the stages, which are finished in the order of the streams' arrival"
    )
    func copies() async {
        let out = Collector<TestNumber>()
        var plan = Plan.building()
        let frames = (0..<100).map { index in
            Frame(TestNumber(index), at: .microseconds(Int64(index)), stream: index % 3 == 0 ? "a" : "b")
        }
        plan.add("in", source: FramesSource(frames))
        plan.add("sum", stage: Sum())
        plan.add("out", sink: out.sink())
        let report = await Run(plan).finished()
        #expect(report.isSuccess)
        let threes = (0..<100).filter { $0 % 3 == 0 }.reduce(0, +)
        #expect(out.frames.map(\.stream) == ["a", "b"])
        #expect(out.frames.map(\.payload.value) == [threes, 4950 - threes])
        #expect(out.frames.map(\.timestamp) == [.microseconds(99), .microseconds(98)])
        #expect(report.ledger.nodes[1].absorbed == 100)
    }

    @Test("Runs: beyond max_streams, the least recently seen stream is finished")
    func eviction() async {
        let out = Collector<TestNumber>()
        var plan = Plan.building()
        plan.maxStreams = 2
        let order: [StreamID] = ["a", "b", "a", "c", "b"]
        plan.add(
            "in",
            source: FramesSource(
                order.enumerated().map { Frame(TestNumber(1), at: .microseconds(Int64($0)), stream: $1) }))
        plan.add("sum", stage: Sum())
        plan.add("out", sink: out.sink())
        #expect(await Run(plan).finished().isSuccess)
        // c evicts b (one frame), b returns and evicts a (two frames).
        #expect(out.frames.map(\.stream) == ["b", "a", "c", "b"])
        #expect(out.frames.map(\.payload.value) == [1, 2, 1, 1])
    }

    // The frames of c evict b, which was used least recently: a goes on counting, also if a stage did not receive its last frame.
    @Test("Runs: beyond max_streams, stages end the stream that the source ends, also behind drops and queues")
    func evictionBehindDrops() async {
        var results: [[Int]] = []
        for policy in [nil, EdgePolicy(capacity: 1), EdgePolicy()] {
            let out = Collector<TestNumber>()
            var plan = Plan.building()
            plan.maxStreams = 2
            let order: [(StreamID, Int)] = [("a", 1), ("b", 1), ("a", 2), ("c", 1), ("a", 1), ("c", 3)]
            plan.add(
                "in",
                source: FramesSource(
                    order.enumerated().map { Frame(TestNumber($1.1), at: .microseconds(Int64($0)), stream: $1.0) }))
            plan.add("odd", stage: Odd())
            plan.add("sum", stage: Sum(), policy: policy)
            plan.add("out", sink: out.sink())
            #expect(await Run(plan).finished().isSuccess)
            results.append(out.frames.map(\.payload.value))
            #expect(Set(out.frames.map { "\($0.stream.name) \($0.payload.value)" }) == ["b 1", "a 2", "c 4"])
        }
        #expect(Set(results).count == 1)
    }

    @Test("Runs: the ledger counts frames dropped on purpose by reason; only failed frames leave a gap")
    func accounting() async {
        let out = Collector<TestNumber>()
        var plan = Plan.building()
        plan.add("in", source: FramesSource(numbers([1, 2, 13, 4, 5, 13, 13, 7])))
        plan.add("odd", stage: Odd(), onError: .skip)
        plan.add("out", sink: out.sink())
        let report = await Run(plan).finished()
        #expect(report.isSuccess)
        let odd = report.ledger.nodes[1]
        #expect((odd.received, odd.passed, odd.failed, odd.dropped) == (8, 3, 3, ["even": 2]))
        #expect(out.frames.map(\.payload.value) == [1, 5, 7])
        #expect(out.frames.map(\.gap) == [0, 1, 2])
        #expect(report.ledger.losses == 3)
    }

    @Test("Runs: a frame that fails ends the run; earlier frames are delivered and the ledger balances")
    func failure() async {
        let out = Collector<TestNumber>()
        var plan = Plan.building()
        plan.add("in", source: FramesSource(numbers(Array(0..<500)).map { frame in frame }))
        plan.add("odd", stage: Odd())
        plan.add("out", sink: out.sink(mayBlock: true))
        let report = await Run(plan).finished()
        #expect(report.failures.map(\.node) == ["odd"])
        #expect(report.failures.first?.error.code == "odd.unlucky")
        #expect(report.violations == [])
        #expect(out.frames.map(\.payload.value) == [1, 3, 5, 7, 9, 11])
    }

    @Test("Runs: with the policy route, a failed frame leaves the stage through its output for errors")
    func route() async {
        let out = Collector<TestNumber>()
        let errors = Collector<FailedFrame>()
        var plan = Plan.building()
        plan.add("in", source: FramesSource(numbers([1, 13, 3])))
        plan.add("odd", stage: Odd(), onError: .route)
        plan.add("out", sink: out.sink())
        plan.add("bad", sink: errors.sink(), from: ["odd.errors"])
        let report = await Run(plan).finished()
        #expect(report.isSuccess)
        #expect(out.frames.map(\.payload.value) == [1, 3])
        #expect(errors.frames.map(\.payload.error.code) == ["odd.unlucky"])
        #expect(errors.frames.first?.payload.frame as? TestNumber == 13)
    }

    @Test("Runs: every branch of a fan-out sees every frame")
    func fanOut() async {
        let (left, right) = (Collector<TestNumber>(), Collector<TestNumber>())
        var plan = Plan.building()
        plan.add("in", source: FramesSource(numbers(Array(0..<300))))
        plan.add("twice", stage: Twice())
        plan.add("left", sink: left.sink(), from: ["twice"])
        plan.add("odd", stage: Odd(), from: ["in"], onError: .skip)
        plan.add("right", sink: right.sink())
        let report = await Run(plan).finished()
        #expect(report.isSuccess)
        #expect(left.frames.count == 300)
        #expect(right.frames.count == 149)
    }

    @Test(
        "Runs: several edges into one input are merged by timestamp; on a tie, the edge named first comes first",
        arguments: [1, 3, 1000])
    func merge(batchSize: Int) async {
        let out = Collector<TestNumber>()
        var plan = Plan.building()
        plan.add("a", source: FramesSource(numbers(Array(0..<50), stream: "a", step: 3), batchSize: batchSize))
        plan.add("b", source: FramesSource(numbers(Array(0..<50), stream: "b", step: 2), batchSize: batchSize))
        plan.add("out", sink: out.sink(), from: ["a", "b"])
        let report = await Run(plan).finished()
        #expect(report.isSuccess)
        // Stream a comes before stream b at the same time, because a is named first.
        let all = numbers(Array(0..<50), stream: "a", step: 3) + numbers(Array(0..<50), stream: "b", step: 2)
        let expected = all.sorted { ($0.timestamp, $0.stream.name) < ($1.timestamp, $1.stream.name) }
        #expect(out.frames == expected)
    }

    @Test("Runs: branches that meet again are merged by timestamp, although one drops frames")
    func rejoin() async {
        let out = Collector<TestNumber>()
        var plan = Plan.building()
        plan.add("in", source: FramesSource(numbers(Array(0..<2000))))
        plan.add("odd", stage: Odd(), from: ["in"], onError: .skip)
        plan.add("twice", stage: Twice(), from: ["in"])
        plan.add("out", sink: out.sink(), from: ["odd", "twice"])
        let report = await Run(plan).finished()
        #expect(report.isSuccess)
        let expected = (0..<2000).flatMap { (value: Int) -> [Int] in
            value % 2 == 1 && value != 13 ? [value, value * 2] : [value * 2]
        }
        #expect(out.frames.map(\.payload.value) == expected)
    }

    @Test(
        "Runs: a stage is woken when the stream's time passes the wake-up, and its output has the time of the wake-up",
        arguments: [1, 1000])
    func wake(batchSize: Int) async {
        let out = Collector<TestNumber>()
        var plan = Plan.building()
        let times: [Int64] = [0, 5, 15, 26, 30, 100]
        let frames = times.enumerated().map { Frame(TestNumber($0), at: .microseconds($1), stream: "a") }
        plan.add("in", source: FramesSource(frames, batchSize: batchSize))
        plan.add("quiet", stage: Quiet())
        plan.add("out", sink: out.sink())
        #expect(await Run(plan).finished().isSuccess)
        // The frame at 5 waits until 15, when the next one replaces it. The frame at 15 waits until 25, the one at 30 until 40,
        // and the one at 100 until the end.
        #expect(out.frames.map(\.payload.value) == [2, 4, 5])
        #expect(out.frames.map(\.timestamp.rawValue) == [25, 40, 100])
    }

    @Test("Runs: a watermark announced by a source wakes all its streams in order of time")
    func announcedBound() async {
        let out = Collector<TestNumber>()
        var plan = Plan.building()
        plan.add(
            "in",
            source: FramesSource<TestNumber>(items: [
                .frame(Frame(1, at: .microseconds(5), stream: "b")),
                .frame(Frame(2, at: .microseconds(6), stream: "a")),
                .frame(Frame(3, at: .microseconds(2), stream: "c")),
                .bound(.microseconds(50)),
                .frame(Frame(4, at: .microseconds(60), stream: "a")),
            ]))
        plan.add("quiet", stage: Quiet())
        plan.add("out", sink: out.sink())
        #expect(await Run(plan).finished().isSuccess)
        #expect(out.frames.map(\.payload.value) == [3, 1, 2, 4])
        #expect(out.frames.map(\.timestamp.rawValue) == [12, 15, 16, 60])
    }

    @Test(
        "Runs: a run that does not stop logs the component it waits for and the time that is left",
        arguments: ["twice", "out"])
    func waitingFor(node: String) async {
        let lines = Lock<[String]>([])
        var plan = Plan.building()
        plan.add("in", source: FramesSource(numbers(Array(0..<500)), batchSize: 10))
        plan.add("twice", stage: Twice())
        plan.add("out", sink: Collector<TestNumber>().sink(mayBlock: true))
        var options = Run.Options()
        options.clock = VirtualClock()
        options.log = Log { line in lines.withLock { $0.append(line.text) } }
        options.serviceTimes = [node: 60_000_000_000]
        options.durationMs = 2000
        let report = await Run(plan, options: options).finished()
        #expect(report.notEnded.contains(node))
        #expect(
            lines.withLock { $0 } == [
                "told to stop, and still waiting for \(node): 3.5 s more at most (shutdown_timeout_ms)"
            ])
    }

    @Test("Runs: a source whose timestamps go back follows its policy")
    func disorder() async {
        let frames = [1, 2, 2, 1, 3].map { Frame(TestNumber($0), at: .microseconds(Int64($0)), stream: "a") }
        func run(_ policy: DisorderPolicy) async -> (values: [Int], times: [Int64], gaps: [Int32], RunReport) {
            let out = Collector<TestNumber>()
            var plan = Plan.building()
            plan.add(
                "in", source: FramesSource(frames), rules: .init(onDisorder: policy),
                onError: policy == .error ? .skip : .fail)
            plan.add("out", sink: out.sink())
            let report = await Run(plan).finished()
            return (
                out.frames.map(\.payload.value), out.frames.map(\.timestamp.rawValue), out.frames.map(\.gap), report
            )
        }
        let error = await run(.error)
        #expect(error.values == [1, 2, 3])
        #expect(error.gaps == [0, 0, 2])
        #expect(error.3.ledger.nodes[0].failed == 2)
        let drop = await run(.drop)
        #expect(drop.values == [1, 2, 3])
        #expect(drop.3.ledger.nodes[0].dropped == ["disorder": 2])
        let clamp = await run(.clamp)
        #expect(clamp.values == [1, 2, 2, 1, 3])
        #expect(clamp.times == [1, 2, 3, 4, 5])
        let epoch = await run(.newEpoch)
        #expect(epoch.times == [1, 2, 2, 1, 3])
        for result in [error, drop, clamp, epoch] { #expect(result.3.violations == []) }
    }

    @Test("Runs: if a source drops a frame, the frames missing before it are missing before the next one too")
    func gapOfDroppedFrame() async {
        let frames = [(2, 0), (1, 3), (3, 1)].map { time, gap in
            Frame(TestNumber(0), at: .microseconds(time), stream: "a", gap: gap)
        }
        let out = Collector<TestNumber>()
        var plan = Plan.building()
        plan.add("in", source: FramesSource(frames), rules: .init(onDisorder: .drop))
        plan.add("out", sink: out.sink())
        #expect(await Run(plan).finished().isSuccess)
        #expect(out.frames.map(\.gap) == [0, 5])
    }

    @Test("Runs: a source that counts as many missing frames as fit, and then loses one more, keeps the largest count")
    func largestGap() async {
        let frames = [(2, 0), (1, 0), (3, .max)].map { time, gap in
            Frame(TestNumber(0), at: .microseconds(time), stream: "a", gap: gap)
        }
        let out = Collector<TestNumber>()
        var plan = Plan.building()
        plan.add("in", source: FramesSource(frames), rules: .init(onDisorder: .drop))
        plan.add("out", sink: out.sink())
        #expect(await Run(plan).finished().isSuccess)
        #expect(out.frames.map(\.gap) == [0, .max])
    }

    @Test("Runs: a frame far ahead is refused; if the next frame agrees with it, a new epoch begins")
    func jump() async {
        let times: [Int64] = [1, 2, 10_000_000_000, 3, 20_000_000_000, 20_000_000_001]
        let out = Collector<TestNumber>()
        var plan = Plan.building()
        plan.add(
            "in", source: FramesSource(times.map { Frame(TestNumber(0), at: .microseconds($0), stream: "a") }),
            rules: .init(onDisorder: .drop))
        plan.add("out", sink: out.sink())
        let report = await Run(plan).finished()
        #expect(out.frames.map(\.timestamp.rawValue) == [1, 2, 3, 20_000_000_001])
        #expect(out.frames.map(\.gap) == [0, 0, 1, 1])
        #expect(out.ended == ["a"])
        #expect(report.isSuccess)
    }

    @Test("Runs: results of a node can be read as an asynchronous sequence")
    func results() async throws {
        var plan = Plan.building()
        plan.add("in", source: FramesSource(numbers(Array(0..<500))))
        plan.add("twice", stage: Twice())
        let run = Run(plan)
        var values: [Int] = []
        for try await frame in try run.results(of: "twice", as: TestNumber.self) { values.append(frame.payload.value) }
        #expect(values == (0..<500).map { $0 * 2 })
        let report = await run.finished()
        #expect(report.failures.map(\.error.description) == [])
        #expect(report.violations == [])
    }

    @Test(
        "Runs: several results are read one after the other or at the same time without a stall",
        .timeLimit(.minutes(1)),
        arguments: [true, false])
    func severalResults(oneAfterTheOther: Bool) async throws {
        let count = 5000
        var plan = Plan.building()
        plan.add("in", source: FramesSource(numbers(Array(0..<count)), batchSize: 100))
        plan.add("twice", stage: Twice())
        plan.add("odd", stage: Odd(), from: ["in"], onError: .skip)
        let run = Run(plan)
        let (first, second) = (
            try run.results(of: "odd", as: TestNumber.self), try run.results(of: "twice", as: TestNumber.self)
        )
        let again = try run.results(of: "odd", as: TestNumber.self)
        @Sendable func values(_ results: Results<TestNumber>) async throws -> [Int] {
            var values: [Int] = []
            for try await frame in results { values.append(frame.payload.value) }
            return values
        }
        var all: [[Int]] = []
        if oneAfterTheOther {
            for results in [first, second, again] { all.append(try await values(results)) }
        } else {
            async let (a, b, c) = (values(first), values(second), values(again))
            all = try await [a, b, c]
        }
        let odd = (0..<count).filter { $0 % 2 == 1 && $0 != 13 }
        #expect(all == [odd, (0..<count).map { 2 * $0 }, odd])
        let report = await run.finished()
        #expect(report.isSuccess)
        #expect(report.ledger.edges.map(\.left) == report.ledger.edges.map { _ in 0 })
    }
}

@Suite(.timeLimit(.minutes(3))) struct SwiftInterfaceTests {
    private func stream(_ values: [Int]) -> AsyncStream<Frame<TestNumber>> {
        let frames = numbers(values)
        return AsyncStream { continuation in
            for frame in frames { continuation.yield(frame) }
            continuation.finish()
        }
    }

    @Test("Pipelines in Swift: stages can be chained on any asynchronous sequence of frames")
    func through() async throws {
        var values: [Int] = []
        for try await frame in stream([1, 2, 3, 4]).through(Odd()).through(Twice()).through(Sum()) {
            values.append(frame.payload.value)
        }
        #expect(values == [8])
    }

    @Test("Pipelines in Swift: a frame that a chained stage refuses ends the sequence; earlier frames are delivered")
    func throughThrows() async {
        var values: [Int] = []
        await #expect(throws: PipelineError.self) {
            for try await frame in stream([1, 3, 13, 5]).through(Odd()) { values.append(frame.payload.value) }
        }
        #expect(values == [1, 3])
    }

    @Test("Pipelines in Swift: a plan can read any asynchronous sequence, and its results are an asynchronous sequence")
    func replacing() async throws {
        var plan = Plan.building()
        plan.add("in", source: FramesSource<TestNumber>([]))
        plan.add("twice", stage: Twice())
        let run = Run(try plan.replacing("in", with: stream([1, 2, 3])))
        var values: [Int] = []
        for try await frame in try run.results(of: "twice", as: TestNumber.self) { values.append(frame.payload.value) }
        #expect(values == [2, 4, 6])
        #expect(throws: PipelineError.self) { try plan.replacing("twice", with: stream([])) }
        #expect(throws: PipelineError.self) { try run.results(of: "nobody", as: TestNumber.self) }
    }

    @Test("Pipelines in Swift: a stopped run drains what its sources have sent and ends successfully")
    func stop() async throws {
        let out = Collector<TestNumber>()
        let (frames, continuation) = AsyncStream.makeStream(of: Frame<TestNumber>.self)
        var plan = Plan.building()
        plan.add("in", source: SequenceSource(frames))
        plan.add("sum", stage: Sum())
        plan.add("out", sink: out.sink())
        let run = Run(plan)
        run.start()
        for frame in numbers([1, 2, 3]) { continuation.yield(frame) }
        // The source is waiting for more when it is told to stop.
        while run.ledger.nodes[1].received < 3, !Task.isCancelled { await Task.yield() }
        run.stop()
        let report = await run.finished()
        #expect(report.isSuccess)
        #expect(out.frames.map(\.payload.value) == [6])
    }

    @Test("Pipelines in Swift: a time that is too far away for the clock never comes", arguments: [true, false])
    func farTimes(isVirtual: Bool) async {
        let (frames, continuation) = AsyncStream.makeStream(of: Frame<TestNumber>.self)
        var plan = Plan.building()
        plan.shutdownTimeoutMs = .max
        plan.add("in", source: SequenceSource(frames))
        plan.add("out", sink: Collector<TestNumber>().sink())
        var options = Run.Options()
        options.durationMs = .max
        if isVirtual { options.clock = VirtualClock() }
        let run = Run(plan, options: options)
        run.start()
        continuation.yield(numbers([1])[0])
        // Simulated time jumps to its end, because nothing else happens.
        while run.ledger.nodes[1].received < 1, !run.hasEnded, !Task.isCancelled { await Task.yield() }
        run.stop()
        let report = await run.finished()
        #expect(report.notEnded == [])
        #expect(report.failures.isEmpty)
    }

    @Test("Pipelines in Swift: a source ends after as many frames as the run's limit")
    func limit() async {
        let out = Collector<TestNumber>()
        var plan = Plan.building()
        plan.add("in", source: FramesSource(numbers(Array(0..<1000)), batchSize: 10))
        plan.add("out", sink: out.sink())
        var options = Run.Options()
        options.limit = 25
        let report = await Run(plan, options: options).finished()
        #expect(report.isSuccess)
        #expect(out.frames.count == 25)
    }

    @Test(
        "Pipelines in Swift: if a source cannot be opened, the run fails, and a sink that was not opened is not closed"
    )
    func openFails() async {
        struct Broken: Source {
            typealias Output = TestNumber
            mutating func open(_ context: SourceContext) async throws {
                throw PipelineError.environment("test.missing", "it is not there")
            }
            mutating func read(into batch: inout SourceBatch<TestNumber>) async throws -> Bool { false }
        }
        let out = Collector<TestNumber>()
        var plan = Plan.building()
        plan.add("in", source: Broken())
        plan.add("out", sink: out.sink())
        let report = await Run(plan).finished()
        #expect(report.failures.map(\.error.category) == [.environment])
        #expect(!out.isClosed)
    }

    @Test("Pipelines in Swift: a reader of a run that cannot begin gets the error and does not wait")
    func resultsOfARunThatCannotBegin() async throws {
        struct Broken: Source {
            typealias Output = TestNumber
            mutating func open(_ context: SourceContext) async throws {
                throw PipelineError.environment("test.missing", "it is not there")
            }
            mutating func read(into batch: inout SourceBatch<TestNumber>) async throws -> Bool { false }
        }
        var plan = Plan.building()
        plan.add("in", source: Broken())
        let results = try Run(plan).results(of: "in", as: TestNumber.self)
        do {
            for try await frame in results { Issue.record("\(frame)") }
            Issue.record("the results ended without a reason")
        } catch let error as PipelineError {
            #expect(error.code == "test.missing")
        }
    }

    @Test("Pipelines in Swift: a stage or a sink without a node before it is an error that names it, and no run begins")
    func noInput() async {
        func codes(_ change: (inout Plan) -> Void) async -> [String] {
            var plan = Plan.building()
            plan.add("in", source: FramesSource(numbers([1])))
            change(&plan)
            let report = await Run(plan).finished()
            return report.failures.map { "\($0.error.code): \($0.error.message)" }
        }
        let none = await codes { $0.add("twice", stage: Twice(), from: ["ni"]) }
        #expect(none == ["plan.no_input: twice receives from no node"])
        let sink = await codes { $0.add("out", sink: Collector<TestNumber>().sink(), from: ["ni"]) }
        #expect(sink == ["plan.no_input: out receives from no node"])
        for from in [7, 1, -1] {
            let other = await codes { plan in
                plan.add("twice", stage: Twice())
                plan.nodes[1].edges = [Plan.Edge(from: from)]
            }
            #expect(other == ["plan.no_input: twice receives from no node before it"])
        }
    }

    @Test("Runs: a frame fails if a stage emits it for another stream without declaring that", arguments: [0, 1])
    func undeclaredStream(way: Int) async {
        struct Mix: Stage {
            let way: Int
            mutating func process(
                _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
            ) {
                let stream: StreamID = number.value == 2 ? "b" : "a"
                if way == 0 { return emitter.emit(number, stream: stream) }
                emitter.emit(Frame(number, at: header.timestamp, stream: stream))
            }
        }
        let frames = [1, 2, 3].map { Frame(TestNumber($0), at: .microseconds(Int64($0)), stream: "a") }
        let out = Collector<TestNumber>()
        var plan = Plan.building()
        plan.add("in", source: FramesSource(frames))
        plan.add("mix", stage: Mix(way: way), onError: .route)
        plan.add("twice", stage: Twice(), from: ["mix"])
        plan.add("out", sink: out.sink())
        let errors = Collector<FailedFrame>()
        plan.add("errors", sink: errors.sink(), from: ["mix.errors"])
        let report = await Run(plan).finished()
        #expect(report.isSuccess)
        #expect(out.frames.map(\.payload.value) == [2, 6])
        #expect(errors.frames.map(\.payload.error.code) == ["stage.stream"])
        #expect(errors.frames.map(\.payload.error.message) == [#"its output is of the stream "b", not "a""#])
    }

    @Test("Runs: the error of a wake-up or of the end of a stream names its stream and time")
    func locationOfCalls() async {
        struct Fail: Stage {
            mutating func process(
                _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
            ) { emitter.wake(at: header.timestamp.advanced(byMicroseconds: 500_000)) }
            mutating func wake(at time: Timestamp, into emitter: borrowing Emitter<TestNumber>) throws {
                throw PipelineError.frame("test.wake", "no")
            }
            mutating func finish(into emitter: borrowing Emitter<TestNumber>) throws {
                throw PipelineError.frame("test.finish", "no")
            }
        }
        let frames = [1, 2].map { Frame(TestNumber($0), at: .milliseconds(Int64($0) * 1000), stream: "pen") }
        let errors = Collector<FailedFrame>()
        var plan = Plan.building()
        plan.add("in", source: FramesSource(frames))
        plan.add("fail", stage: Fail(), onError: .route)
        plan.add("out", sink: Collector<TestNumber>().sink())
        plan.add("errors", sink: errors.sink(), from: ["fail.errors"])
        #expect(await Run(plan).finished().isSuccess)
        #expect(errors.frames.map(\.payload.error.code) == ["test.wake", "test.finish"])
        let places = [Timestamp.milliseconds(1500), .milliseconds(2000)].map { "stream pen, at \($0)" }
        #expect(errors.frames.map(\.payload.error.location) == places)
    }
}
