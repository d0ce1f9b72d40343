import PipelineTesting
import Testing

@testable import Pipeline
@testable import PipelineConfiguration

/// Emits a frame for each time in `before`, with a timestamp that is so many microseconds earlier than the input's; and `atEnd`
/// frames at the end of the stream.
private struct Several: Stage {
    var before: [Int64] = [0, 0, 0]
    var atEnd = 0
    var stampsEarlierByUs: Int64 { before.max() ?? 0 }

    mutating func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) {
        for time in before {
            emitter.emit(number, at: header.timestamp.advanced(byMicroseconds: -time))
        }
    }

    mutating func finish(into emitter: borrowing Emitter<TestNumber>) {
        for number in 0..<atEnd { emitter.emit(TestNumber(-1 - number)) }
    }
}

private struct Pass: Stage {
    mutating func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) {
        emitter.emit(number)
    }
}

/// Adds a prefix to the name of every stream.
private struct Prefix: Stage {
    let prefix: String
    /// Whether the prefix replaces the whole name.
    var isWhole = false
    var renamesStreams: Bool { true }

    mutating func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) {
        emitter.emit(number, stream: StreamID(isWhole ? prefix : prefix + header.stream.name))
    }
}

private func arriving(_ count: Int, every: Int64 = 1000, from start: Int64 = 0, stream: StreamID = "a")
    -> [TimelineSource<TestNumber>.Event]
{
    (0..<count).map { index in
        let time = Int64(index) * every
        return .init(
            at: time,
            Frame(
                TestNumber(index), at: .microseconds(start + time), stream: stream, sequence: Int64(index)))
    }
}

private struct Outcome {
    let report: RunReport
    let frames: [Frame<TestNumber>]
    let drops: [DropRecord]
    var values: [Int] { frames.map(\.payload.value) }
}

private func run(_ plan: Plan, _ out: Collector<TestNumber>, service: [String: Int64] = [:]) async -> Outcome {
    let drops = DropLog()
    var options = Run.Options()
    options.clock = VirtualClock()
    options.serviceTimes = service
    options.onDrop = { drops.add($0) }
    let report = await Run(plan, options: options).finished()
    return Outcome(report: report, frames: out.frames, drops: drops.records)
}

/// Edges inside a graph that limit the number of unfinished frames, in virtual time.
@Suite("Credits behind stages")
struct SlotRunTests {
    @Test(
        "Credits behind stages: several frames from one input hold one credit of the next edge together, and give it back",
        arguments: [[0, 0, 0], [3, 2, 0], [3, 2, 1]] as [[Int64]],
        [.dropOldest, .dropNewest, .wait] as [EdgePolicy.OnFull])
    func several(before: [Int64], onFull: EdgePolicy.OnFull) async {
        let out = Collector<TestNumber>()
        var plan = Plan.building(mode: .live)
        plan.add("in", source: TimelineSource(arriving(100, from: 10)))
        plan.add("several", stage: Several(before: before))
        plan.add("last", stage: Pass(), policy: EdgePolicy(capacity: 1, onFull: onFull, inFlight: 1))
        plan.add("out", sink: out.sink())
        let outcome = await run(plan, out)
        #expect(outcome.report.isSuccess, "\(outcome.report.failures) \(outcome.report.violations)")
        #expect(outcome.values == (0..<100).flatMap { [$0, $0, $0] })
        #expect(outcome.drops.isEmpty)
    }

    @Test("Credits behind stages: until all frames of one input are finished, the next input waits for the credit")
    func lastOfSeveral() async {
        let out = Collector<TestNumber>()
        var plan = Plan.building(mode: .live)
        plan.add("in", source: TimelineSource(arriving(10)), rules: .init(onDisorder: .drop))
        plan.add("several", stage: Several(), policy: EdgePolicy(capacity: 1, onFull: .dropOldest, inFlight: 1))
        plan.add("last", stage: Pass(), policy: EdgePolicy(capacity: 64))
        plan.add("out", sink: out.sink())
        // Each input becomes three frames of 1 ms each, so about every third input is taken.
        let outcome = await run(plan, out, service: ["last": 1_000_000])
        #expect(outcome.report.isSuccess)
        #expect(outcome.values == [0, 0, 0, 2, 2, 2, 5, 5, 5, 8, 8, 8, 9, 9, 9])
    }

    @Test(
        "Credits behind stages: output at the end of a stream, or at its eviction, gives its credits back")
    func atEnd() async {
        let out = Collector<TestNumber>()
        var plan = Plan.building(mode: .live)
        plan.maxStreams = 2
        let events = (0..<6).flatMap { stream in
            arriving(5, stream: StreamID("\(stream)")).map { event in
                var event = event
                event.at += Int64(stream) * 5000
                return event
            }
        }
        plan.add("in", source: TimelineSource(events))
        plan.add("several", stage: Several(before: [0], atEnd: 3))
        plan.add("last", stage: Pass(), policy: EdgePolicy(capacity: 1, onFull: .wait, inFlight: 1))
        plan.add("out", sink: out.sink())
        let outcome = await run(plan, out)
        #expect(outcome.report.isSuccess, "\(outcome.report.failures) \(outcome.report.violations)")
        #expect(outcome.frames.count == 6 * 8)
    }

    @Test("Credits behind stages: frames of renamed streams give their credits back", arguments: [1, 2])
    func renamed(inFlight: Int) async {
        let out = Collector<TestNumber>()
        var plan = Plan.building(mode: .live)
        plan.add("in", source: TimelineSource(arriving(50)))
        plan.add("several", stage: Several())
        plan.add("named", stage: Prefix(prefix: "x/"))
        plan.add("last", stage: Pass(), policy: EdgePolicy(capacity: 1, onFull: .dropOldest, inFlight: inFlight))
        plan.add("out", sink: out.sink())
        let outcome = await run(plan, out)
        #expect(outcome.report.isSuccess)
        #expect(outcome.values == (0..<50).flatMap { [$0, $0, $0] })
    }

    @Test(
        "Credits behind stages: a blocking edge with in_flight and capacity_ms does not stall",
        arguments: [1, 2])
    func capacityMs(streams: Int) async {
        let out = Collector<TestNumber>()
        var plan = Plan.building(mode: .live)
        let events = (0..<streams).flatMap { arriving(50, every: 10_000, stream: StreamID("\($0)")) }
        plan.add("in", source: TimelineSource(events.sorted { $0.at < $1.at }))
        plan.add(
            "stage", stage: Pass(), policy: EdgePolicy(capacity: 64, capacityMs: 15, onFull: .wait, inFlight: 1))
        plan.add("out", sink: out.sink())
        let outcome = await run(plan, out, service: ["stage": 30_000_000])
        #expect(outcome.report.isSuccess, "\(outcome.report.failures)")
        #expect(outcome.frames.count == 50 * streams)
    }

    @Test(
        "Credits behind stages: a blocking edge goes on when a full stream has room again, even if another stream had room"
    )
    func roomOfOne() async {
        let out = Collector<TestNumber>()
        var plan = Plan.building(mode: .live)
        var events = arriving(1, stream: "b") + arriving(20, stream: "a")
        events[0].at = 0
        plan.add("in", source: TimelineSource(events))
        plan.add("stage", stage: Pass(), policy: EdgePolicy(capacity: 2, onFull: .wait, inFlight: 1))
        plan.add("out", sink: out.sink())
        let outcome = await run(plan, out, service: ["stage": 3_000_000])
        #expect(outcome.report.isSuccess, "\(outcome.report.failures)")
        #expect(outcome.frames.count == 21)
    }

    @Test(
        "Credits behind stages: sets of several streams that are complete together when a source ends give their credits back"
    )
    func setsAtOnce() async {
        let out = Collector<TestNumber>()
        var plan = Plan.building(mode: .live)
        let left = arriving(4, stream: "a") + arriving(4, stream: "b")
        plan.add("left", source: TimelineSource(left.sorted { $0.at < $1.at }))
        // Until this source ends, it might produce "a" and "b" too.
        plan.add("right", source: TimelineSource(arriving(2, every: 10_000, stream: "z")))
        plan.add("sets", stage: Sets(alignment: Alignment(.exact)), from: ["left", "right"])
        plan.add("last", stage: Pass(), policy: EdgePolicy(capacity: 1, onFull: .wait, inFlight: 1))
        plan.add("out", sink: out.sink())
        let outcome = await run(plan, out)
        #expect(outcome.report.isSuccess, "\(outcome.report.failures)")
        for (stream, values) in [("a", [0, 1, 2, 3]), ("b", [0, 1, 2, 3]), ("z", [0, 1])] as [(StreamID, [Int])] {
            #expect(out.frames.filter { $0.stream == stream }.map(\.payload.value) == values)
        }
    }

    @Test("Credits behind stages: output of a stage that is woken holds its own credit, and gives it back")
    func woken() async {
        let out = Collector<TestNumber>()
        var plan = Plan.building(mode: .live)
        plan.latenessMs = 5
        var events = arriving(10, every: 100_000, stream: "a")
        for number in events.indices.reversed() {
            var event = arriving(10, every: 100_000, stream: "b")[number]
            event.at += 50_000
            events.insert(event, at: number + 1)
        }
        plan.add("in", source: TimelineSource(events))
        plan.add("rest", stage: Rest(1000))
        plan.add("last", stage: Pass(), policy: EdgePolicy(capacity: 1, onFull: .wait, inFlight: 1))
        plan.add("out", sink: out.sink())
        let outcome = await run(plan, out)
        #expect(outcome.report.isSuccess, "\(outcome.report.failures)")
        #expect(outcome.values == (0..<10).flatMap { [$0, $0] })
    }

    @Test(
        "Credits behind stages: two sources with different clocks and equal stream names, renamed and merged, lose nothing",
        arguments: [0, 1_000_000_000, 7_000_000] as [Int64])
    func fanIn(apart: Int64) async {
        let out = Collector<TestNumber>()
        let slots = EdgePolicy(capacity: 1, onFull: .dropOldest, inFlight: 1)
        var plan = Plan.building(mode: .live)
        plan.add("left", source: TimelineSource(arriving(500, stream: "camera")))
        plan.add("right", source: TimelineSource(arriving(500, from: apart, stream: "camera")))
        plan.add("l", stage: Prefix(prefix: "l/"), from: ["left"], policy: slots)
        plan.add("r", stage: Prefix(prefix: "r/"), from: ["right"], policy: slots)
        plan.add("stage", stage: Pass(), from: ["l", "r"])
        plan.add("out", sink: out.sink())
        let outcome = await run(plan, out)
        #expect(outcome.report.isSuccess, "\(outcome.report.failures)")
        for stream in ["l/camera", "r/camera"] as [StreamID] {
            #expect(out.frames.filter { $0.stream == stream }.map(\.payload.value) == Array(0..<500))
        }
    }
}

/// Emits 0 to `most` frames for each frame, depending on its number, some with earlier timestamps; and `most` frames when the
/// stream ends.
private struct Varied: Stage {
    let most: Int
    private var last = Timestamp.beforeAll

    init(most: Int) { self.most = most }

    var stampsEarlierByUs: Int64 { 200 }

    mutating func process(
        _ payload: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) {
        let count = (payload.value * 7 + 3) % (most + 1)
        let earliest = max(last.advanced(byMicroseconds: 1), header.timestamp.advanced(byMicroseconds: -200))
        for number in 0..<count {
            // Timestamps stay in order, and after the last output.
            let time = number == 0 ? earliest : header.timestamp
            emitter.emit(TestNumber(payload.value &+ number), at: min(time, header.timestamp))
        }
        last = header.timestamp
    }

    mutating func finish(into emitter: borrowing Emitter<TestNumber>) {
        for number in 0..<most { emitter.emit(TestNumber(number)) }
    }
}

/// Emits the last frame again when its stream has been quiet for a while, and when it ends.
private struct Rest: Stage {
    let time: Int64
    private var last: TestNumber?

    init(_ time: Int64) { self.time = time }

    mutating func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) {
        last = number
        emitter.wake(at: header.timestamp.advanced(byMicroseconds: time))
    }

    mutating func wake(at time: Timestamp, into emitter: borrowing Emitter<TestNumber>) { finish(into: emitter) }

    mutating func finish(into emitter: borrowing Emitter<TestNumber>) {
        if let number = last.take() { emitter.emit(number) }
    }
}

private struct Odd: Stage {
    mutating func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) {
        if number.value % 2 == 0 { emitter.drop("even") } else { emitter.emit(number) }
    }
}

/// Emits the sum of each set.
private struct Sets: AlignedStage {
    typealias Element = TestNumber
    let alignment: Alignment

    mutating func process(
        _ payload: Aligned<TestNumber>, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) {
        emitter.emit(TestNumber(payload.values.reduce(0) { $0 &+ ($1?.value ?? 0) }))
    }
}

/// Random graphs of components that make it hard to give credits back.
@Suite("Credits in random graphs")
struct RandomSlotTests {
    /// Additional difficulties.
    enum Extra: CaseIterable, Sendable {
        case none
        /// Stages that take sets.
        case sets
        /// In addition: stages that are woken by the clock, and edges with time-outs.
        case times
        /// In addition: streams so long that queues and joins fill up, and stages that rename all streams to one.
        case long
    }

    private func policy(_ random: inout SeededGenerator) -> EdgePolicy? {
        let choice = Int.random(in: 0..<4, using: &random)
        let drops: [EdgePolicy.OnFull] = [.dropOldest, .dropNewest]
        let onFull = Bool.random(using: &random) ? drops[Int.random(in: 0...1, using: &random)] : .wait
        switch choice {
        case 0: return nil
        case 1: return EdgePolicy(capacity: .random(in: 1...4, using: &random), onFull: onFull)
        default:
            var policy = EdgePolicy(
                capacity: .random(in: (onFull == .wait ? 1 : 0)...3, using: &random), onFull: onFull,
                inFlight: .random(in: 1...3, using: &random))
            if Int.random(in: 0..<4, using: &random) == 0 { policy.capacityMs = .random(in: 1...20, using: &random) }
            return policy
        }
    }

    private func addStage(
        _ plan: inout Plan, _ id: String, from: [String], _ policy: EdgePolicy?, _ random: inout SeededGenerator,
        _ extra: Extra
    ) {
        var policy = policy
        // If two sources produce one stream with clocks that differ too much, edges that wait fill up, and the run reports an
        // error. This is not a fault, so these edges get room for all frames, or drop.
        if extra == .long, policy?.onFull ?? .wait == .wait {
            policy = policy?.inFlight == nil ? EdgePolicy(capacity: 2000) : policy
            if policy?.inFlight != nil { policy?.onFull = .dropNewest }
        }
        if extra == .times || extra == .long {
            if Int.random(in: 0..<3, using: &random) == 0 { policy?.timeoutMs = .random(in: 0.5...5, using: &random) }
            if from.count > 1, Bool.random(using: &random) {
                policy = policy ?? EdgePolicy()
                policy?.idleTimeoutMs = .random(in: 0.5...10, using: &random)
            }
            if Int.random(in: 0..<5, using: &random) == 0 {
                return plan.add(id, stage: Rest(.random(in: 100...9000, using: &random)), from: from, policy: policy)
            }
        }
        if extra != .none, from.count > 1, Bool.random(using: &random) {
            let rules: [Alignment.Rule] = [.exact, .approximate, .latest]
            let rule = rules[Int.random(in: 0...2, using: &random)]
            return plan.add(id, stage: Sets(alignment: Alignment(rule, toleranceMs: 2)), from: from, policy: policy)
        }
        switch Int.random(in: 0..<6, using: &random) {
        case 0: plan.add(id, stage: Varied(most: .random(in: 1...4, using: &random)), from: from, policy: policy)
        case 1: plan.add(id, stage: Odd(), from: from, policy: policy)
        case 2 where extra == .long && Bool.random(using: &random):
            plan.add(id, stage: Prefix(prefix: "one", isWhole: true), from: from, policy: policy)
        case 2: plan.add(id, stage: Prefix(prefix: "\(id)/"), from: from, policy: policy)
        case 3: plan.add(id, stage: Several(before: [0, 0]), from: from, policy: policy)
        default: plan.add(id, stage: Pass(), from: from, policy: policy)
        }
    }

    private func events(_ random: inout SeededGenerator, _ extra: Extra) -> [TimelineSource<TestNumber>.Event] {
        let start = Int64.random(in: 0...3, using: &random) * 1_000_000_000 + 1000
        var events: [(at: Int64, frame: Frame<TestNumber>)] = []
        for stream in 0..<Int.random(in: 1...3, using: &random) {
            var at: Int64 = 0
            for number in 0..<Int.random(in: 1...(extra == .long ? 250 : 40), using: &random) {
                at += Int64.random(in: 1...8, using: &random) * 500
                let frame = Frame(
                    TestNumber(number), at: .microseconds(start + at), stream: StreamID("\(stream)"),
                    sequence: Int64(number))
                events.append((at, frame))
            }
        }
        return events.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
            .map { .init(at: $0.element.at, $0.element.frame) }
    }

    private func plan(_ random: inout SeededGenerator, _ outs: [Collector<TestNumber>], _ extra: Extra) -> Plan {
        var plan = Plan.building(mode: .live)
        plan.latenessMs = 5
        if Int.random(in: 0..<4, using: &random) == 0 { plan.maxStreams = 2 }
        var names: [String] = []
        for number in 0..<Int.random(in: 1...2, using: &random) {
            plan.add("in\(number)", source: TimelineSource(events(&random, extra)), rules: .init(onDisorder: .drop))
            names.append("in\(number)")
        }
        for number in 0..<Int.random(in: 1...5, using: &random) {
            var from = [names[Int.random(in: 0..<names.count, using: &random)]]
            if Int.random(in: 0..<3, using: &random) == 0 {
                let other = names[Int.random(in: 0..<names.count, using: &random)]
                if other != from[0] { from.append(other) }
            }
            addStage(&plan, "s\(number)", from: from, policy(&random), &random, extra)
            names.append("s\(number)")
        }
        for (number, out) in outs.enumerated() {
            let from = number == 0 ? names.last ?? "" : names[Int.random(in: 0..<names.count, using: &random)]
            plan.add(
                "out\(number)", sink: out.sink(mayBlock: Bool.random(using: &random)), from: [from],
                policy: Bool.random(using: &random) ? nil : EdgePolicy(capacity: 8, onFull: .dropOldest))
        }
        return plan
    }

    @Test(
        "Credits in random graphs: nothing stalls, the ledger balances, and a repetition gives the same output",
        arguments: 0..<8, Extra.allCases)
    func goesOn(part: UInt64, extra: Extra) async {
        for seed in GraphSeeds.range(part: part, of: 8, count: extra == .long ? 8 : 16) {
            await check(seed, extra)
        }
    }

    private func check(_ seed: UInt64, _ extra: Extra) async {
        var seen: [[Int]] = []
        for _ in 0..<2 {
            var random = SeededGenerator(seed: seed)
            let outs = [Collector<TestNumber>(), Collector<TestNumber>()]
            var plan = plan(&random, outs, extra)
            for place in plan.nodes.indices where plan.nodes[place].body.role == .stage && Bool.random(using: &random) {
                plan.nodes[place].workers = [1, 2, 8][Int.random(in: 0...2, using: &random)]
            }
            var options = Run.Options()
            options.clock = VirtualClock()
            for node in plan.nodes where !node.edges.isEmpty {
                options.serviceTimes[node.id] = Int64.random(in: 0...3, using: &random) * 700_000
            }
            let report = await Run(plan, options: options).finished()
            #expect(report.isSuccess, "seed \(seed): \(report.failures) \(report.violations)")
            for edge in report.ledger.edges where edge.droppedTotal > 0 {
                let node = plan.nodes.first { $0.id == edge.to }
                let policies = (node?.edges ?? []).filter { plan.nodes[$0.from].id == edge.from }.map(\.policy)
                #expect(policies.contains { $0.drops }, "seed \(seed): \(edge.from) → \(edge.to)")
            }
            seen.append(outs.flatMap { $0.frames.map(\.payload.value) })
        }
        #expect(seen[0] == seen[1], "seed \(seed)")
    }
}

/// Edges that drop and do not limit their frames in flight, in virtual time.
@Suite("Edges that drop")
struct DroppingEdgeTests {
    private func values(_ onFull: EdgePolicy.OnFull, toSink: Bool, count: Int = 10, service: Int64) async -> Outcome {
        let out = Collector<TestNumber>()
        var plan = Plan.building(mode: .live)
        plan.add("in", source: TimelineSource(arriving(count)))
        if !toSink { plan.add("work", stage: Pass(), policy: EdgePolicy(capacity: 3, onFull: onFull)) }
        plan.add(
            toSink ? "work" : "out", sink: out.sink(mayBlock: true),
            policy: toSink ? EdgePolicy(capacity: 3, onFull: onFull) : EdgePolicy(capacity: 64))
        return await run(plan, out, service: ["work": service])
    }

    @Test(
        "Dropping edges: with drop_oldest, a full edge drops the frame that has waited longest",
        arguments: [false, true])
    func oldest(toSink: Bool) async {
        let outcome = await values(.dropOldest, toSink: toSink, service: 100_000_000)
        #expect(outcome.report.isSuccess)
        #expect(outcome.values == [0, 7, 8, 9])
        #expect(outcome.drops.map { Int($0.sequence) } == [1, 2, 3, 4, 5, 6])
        #expect(outcome.frames.map(\.gap) == [0, 6, 0, 0])
    }

    @Test("Dropping edges: of a burst, a full edge keeps only the newest frames", arguments: [false, true])
    func burst(toSink: Bool) async {
        let out = Collector<TestNumber>()
        var plan = Plan.building(mode: .live)
        // 0 arrives alone; 1 to 8 arrive at the same time, while 0 is processed; 9 and 10 arrive while 6 is processed.
        let times: [Int64] = [0] + Array(repeating: 5000, count: 8) + [120_000, 130_000]
        let events = times.enumerated().map { number, at in
            TimelineSource<TestNumber>.Event(
                at: at,
                Frame(TestNumber(number), at: .microseconds(Int64(number)), stream: "a", sequence: Int64(number)))
        }
        plan.add("in", source: TimelineSource(events))
        let policy = EdgePolicy(capacity: 3, onFull: .dropOldest)
        if !toSink { plan.add("work", stage: Pass(), policy: policy) }
        plan.add(
            toSink ? "work" : "out", sink: out.sink(mayBlock: true), policy: toSink ? policy : EdgePolicy(capacity: 64))
        let outcome = await run(plan, out, service: ["work": 100_000_000])
        // At 100 ms, 6 starts, and 7 and 8 wait; 9 finds room, and 10 replaces 7.
        #expect(outcome.values == [0, 6, 8, 9, 10])
        #expect(outcome.drops.map { Int($0.sequence) } == [1, 2, 3, 4, 5, 7])
        #expect(outcome.report.isSuccess)
    }

    @Test("Dropping edges: with drop_newest, a full edge drops the arriving frame", arguments: [false, true])
    func newest(toSink: Bool) async {
        let outcome = await values(.dropNewest, toSink: toSink, service: 100_000_000)
        #expect(outcome.report.isSuccess)
        #expect(outcome.values == [0, 1, 2, 3])
        #expect(outcome.drops.map { Int($0.sequence) } == [4, 5, 6, 7, 8, 9])
    }

    @Test(
        "Dropping edges: a waiting frame may still be dropped while other frames are processed",
        arguments: [false, true])
    func laterOnes(toSink: Bool) async {
        // 0 is finished at 4.5 ms, and 2 at 9 ms. While three frames wait, each new frame drops the oldest of them.
        let outcome = await values(.dropOldest, toSink: toSink, service: 4_500_000)
        #expect(outcome.values == [0, 2, 6, 7, 8, 9])
    }

    @Test("Dropping edges: nothing is dropped when service takes exactly as long as the interval between frames")
    func completionsFirst() async {
        for policy in [
            EdgePolicy(capacity: 1, onFull: .dropOldest, inFlight: 1),
            EdgePolicy(capacity: 1, onFull: .dropNewest, inFlight: 1),
            EdgePolicy(capacity: 0, onFull: .dropNewest, inFlight: 1),
            EdgePolicy(capacity: 1, onFull: .dropOldest), EdgePolicy(capacity: 1, onFull: .dropNewest),
        ] {
            let out = Collector<TestNumber>()
            var plan = Plan.building(mode: .live)
            plan.add("in", source: TimelineSource(arriving(200)))
            plan.add("work", stage: Pass(), policy: policy)
            plan.add("out", sink: out.sink())
            let outcome = await run(plan, out, service: ["work": 1_000_000])
            #expect(outcome.values == Array(0..<200), "\(policy)")
            #expect(outcome.drops.isEmpty, "\(policy)")
        }
    }
}
