import PipelineTesting
import Synchronization
import Testing

@testable import Pipeline
@testable import PipelineConfiguration

private struct Pass: Stage {
    mutating func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) {
        emitter.emit(number)
    }
}

/// Renames one stream.
private struct NameAfter: Stage {
    let stream: StreamID
    let name: StreamID

    var renamesStreams: Bool { true }

    mutating func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) {
        emitter.emit(number, stream: header.stream == stream ? name : header.stream)
    }
}

/// Passes on the first frame that is present in a set.
private struct Either: AlignedStage {
    typealias Element = TestNumber
    var alignment = Alignment()

    mutating func process(
        _ set: Aligned<TestNumber>, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) {
        for value in set.values.lazy.compactMap({ $0 }).prefix(1) { emitter.emit(value) }
    }
}

/// Edges that limit their frames in flight, upstream of merges and joins, in virtual time.
@Suite("Credits before joins")
struct LiveJoinTests {
    /// Where the edges meet, and which edges limit their frames in flight.
    enum Shape: CaseIterable {
        case merge, mergeBehindStages, mergeAtSink, mergeTwice, diamond
        case exact, latest, alignedDiamond, alignedBehindStages
    }

    private static let names: [StreamID] = ["p", "q", "r"]

    /// Returns frames of up to three streams, each with increasing timestamps. A frame arrives up to 5 ms after its timestamp, or
    /// 1 µs after the previous frame of its stream if that is later.
    private func arrivals(_ random: inout SeededGenerator) -> [TimelineSource<TestNumber>.Event] {
        var events: [(at: Int64, frame: Frame<TestNumber>)] = []
        for stream in Self.names where Bool.random(using: &random) {
            var (time, at) = (Int64(0), Int64(0))
            for number in 0..<Int.random(in: 1...40, using: &random) {
                time += .random(in: 1...6000, using: &random) / 500 * 500 + 500
                at = max(at + 1, time + .random(in: 0...5000, using: &random))
                let frame = Frame(
                    TestNumber(number), at: .microseconds(time), stream: stream, sequence: Int64(number))
                events.append((at, frame))
            }
        }
        return events.sorted { $0.at < $1.at }.map { .init(at: $0.at, $0.frame) }
    }

    private func plan(_ shape: Shape, _ random: inout SeededGenerator, into out: Collector<TestNumber>) -> Plan {
        let slots = EdgePolicy(
            capacity: .random(in: 0...2, using: &random),
            onFull: Bool.random(using: &random) ? .dropOldest : .dropNewest,
            inFlight: .random(in: 1...3, using: &random))
        var idle = slots
        idle.idleTimeoutMs = 20
        var plan = Plan.building(mode: .live)
        plan.latenessMs = 10
        plan.add("a", source: TimelineSource(arrivals(&random)), rules: .init(onDisorder: .drop))
        plan.add("b", source: TimelineSource(arrivals(&random)), rules: .init(onDisorder: .drop))
        plan.add("left", stage: Pass(), from: ["a"], policy: slots)
        plan.add("right", stage: Pass(), from: ["b"], policy: slots)
        switch shape {
        case .merge: plan.add("work", stage: Pass(), from: ["a", "b"], policy: slots)
        case .mergeBehindStages: plan.add("work", stage: Pass(), from: ["left", "right"])
        case .mergeAtSink: break
        case .mergeTwice:
            plan.add("both", stage: Pass(), from: ["left", "right"])
            plan.add("work", stage: Pass(), from: ["both", "left"])
        case .diamond: plan.add("work", stage: Pass(), from: ["left", "a"], policy: slots)
        case .exact: plan.add("work", stage: Either(), from: ["a", "b"], policy: idle)
        case .latest:
            plan.add("work", stage: Either(alignment: Alignment(.latest)), from: ["a", "b"], policy: idle)
        case .alignedDiamond:
            plan.add("again", stage: Pass(), from: ["left"])
            plan.add("work", stage: Either(), from: ["left", "again"])
        case .alignedBehindStages:
            plan.add("work", stage: Either(), from: ["left", "right"], policy: EdgePolicy(idleTimeoutMs: 20))
        }
        plan.add("out", sink: out.sink(), from: shape == .mergeAtSink ? ["left", "right"] : ["work"])
        return plan
    }

    private func options(_ random: inout SeededGenerator, _ clock: VirtualClock) -> Run.Options {
        var options = Run.Options()
        options.clock = clock
        for id in ["work", "left", "again", "out"] {
            options.serviceTimes[id] = Int64.random(in: 0...4, using: &random) * 1_000_000
        }
        return options
    }

    @Test(
        "Credits before joins: for random arrivals nothing stalls, the ledger balances, and the time of a stream never goes back",
        arguments: Shape.allCases)
    func goesOn(shape: Shape) async {
        for seed in GraphSeeds.range(count: 20) {
            var random = SeededGenerator(seed: seed)
            let out = Collector<TestNumber>()
            let plan = plan(shape, &random, into: out)
            let report = await Run(plan, options: options(&random, VirtualClock())).finished()
            #expect(report.isSuccess, "seed \(seed): \(report.failures) \(report.violations)")
            for stream in Self.names {
                let times = out.frames.filter { $0.stream == stream }.map(\.timestamp)
                #expect(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 }, "seed \(seed), \(stream)")
            }
        }
    }

    // The second edge carries only the source that has ended the stream. The join holds 64 frames for it before it goes on.
    @Test(
        "Credits before joins: a join releases frames that wait for a source that had ended their stream before they began",
        arguments: [Alignment(), Alignment(.latest)])
    func begunElsewhere(alignment: Alignment) async {
        func event(_ time: Int64, _ stream: StreamID) -> TimelineSource<TestNumber>.Event {
            .init(at: time, Frame(TestNumber(Int(time)), at: .microseconds(time), stream: stream))
        }
        let out = Collector<TestNumber>()
        var plan = Plan.building(mode: .live)
        let first = [event(0, "p"), .init(at: 10, item: .end("p")), event(5_000_000, "q")]
        plan.add("a", source: TimelineSource(first))
        plan.add("b", source: TimelineSource((1001...1100).map { event($0, "p") }))
        plan.add("both", stage: Pass(), from: ["a", "b"])
        plan.add("sets", stage: Either(alignment: alignment), from: ["both", "a"])
        plan.add("out", sink: out.sink())
        var options = Run.Options()
        options.clock = VirtualClock()
        let report = await Run(plan, options: options).finished()
        #expect(report.isSuccess)
        // 36 of the 100 frames leave before the frame of q, and the rest at the end of the source.
        #expect(out.frames.map(\.payload.value) == [0] + Array(1001...1036) + [5_000_000] + Array(1037...1100))
    }

    // While z is processed, both frames of p wait on both edges.
    @Test("Credits before joins: frames of one source over two edges, one shared with another source, stay in order")
    func sharedEdge() async {
        let out = Collector<TestNumber>()
        var plan = Plan.building(mode: .live)
        let times: [Int64] = [1000, 2000]
        plan.add(
            "a",
            source: TimelineSource(
                times.map { .init(at: $0, Frame(TestNumber(Int($0)), at: .microseconds($0), stream: "p")) }))
        plan.add("b", source: TimelineSource([.init(at: 0, Frame(TestNumber(0), at: .zero, stream: "z"))]))
        plan.add("both", stage: Pass(), from: ["a", "b"])
        plan.add("work", stage: Pass(), from: ["both", "a"])
        plan.add("out", sink: out.sink())
        var options = Run.Options()
        options.clock = VirtualClock()
        options.serviceTimes = ["work": 10_000_000]
        let report = await Run(plan, options: options).finished()
        #expect(report.isSuccess)
        #expect(report.ledger.losses == 0)
        #expect(out.frames.map(\.payload.value) == [0, 1000, 1000, 2000, 2000])
    }

    @Test(
        "Credits before joins: when a run is canceled, frames that wait at a join are in the ledger",
        arguments: Shape.allCases)
    func cancelled(shape: Shape) async {
        for seed in GraphSeeds.range(count: 20) {
            var random = SeededGenerator(seed: seed)
            let clock = VirtualClock()
            let run = Run(
                plan(shape, &random, into: Collector<TestNumber>()), options: options(&random, clock))
            let moment = clock.now + .random(in: 0...60_000_000, using: &random)
            async let report = run.finished()
            await clock.run {
                try? await clock.sleep(until: moment)
                run.cancel()
            }
            #expect(await report.violations == [], "seed \(seed)")
        }
    }

    @Test("Credits before joins: two sources whose frames only wait for each other lose none")
    func nothingIsBusy() async {
        for seed in GraphSeeds.range(count: 20) {
            var random = SeededGenerator(seed: seed)
            let out = Collector<TestNumber>()
            var plan = Plan.building(mode: .live)
            let events = [arrivals(&random), arrivals(&random)]
            plan.add("a", source: TimelineSource(events[0]))
            plan.add("b", source: TimelineSource(events[1]))
            plan.add(
                "work", stage: Pass(), from: ["a", "b"],
                policy: EdgePolicy(capacity: 1, onFull: .dropOldest, inFlight: 1))
            plan.add("out", sink: out.sink())
            var options = Run.Options()
            options.clock = VirtualClock()
            let report = await Run(plan, options: options).finished()
            #expect(report.isSuccess)
            #expect(report.ledger.edges.map(\.droppedTotal).reduce(0, +) == 0, "seed \(seed)")
        }
    }

    // MARK: Two sources of one stream, with different clocks

    /// The outcome of a live run of two sources that each produce 600 frames of `camera`, one every 16 ms.
    private struct Apart {
        let report: RunReport
        let frames: [Frame<TestNumber>]
        let drops: [DropRecord]
        let lines: [String]

        func values(of stream: StreamID) -> [Int] { frames.filter { $0.stream == stream }.map(\.payload.value) }
    }

    /// Where two live sources meet: at a stage, at a stage behind one stage for each source, or at a sink.
    enum Meeting: CaseIterable { case stage, behindStages, sink }

    /// Returns frames of `camera`, whose clock is ahead of the run's clock, and of another stream with the run's clock.
    private func camera(ahead milliseconds: Int64, beside other: StreamID, offset: Int) -> [TimelineSource<TestNumber>
        .Event]
    {
        (0..<600).flatMap { index in
            let at = Int64(index) * 16_000 + Int64(offset)
            let time = at + milliseconds * 1000
            return [
                TimelineSource.Event(
                    at: at,
                    Frame(
                        TestNumber(2 * index + offset % 2), at: .microseconds(time), stream: "camera",
                        sequence: Int64(index))),
                TimelineSource.Event(
                    at: at + 8000,
                    Frame(
                        TestNumber(index), at: .microseconds(at + 8000), stream: other, sequence: Int64(index))),
            ]
        }
    }

    private func apart(_ milliseconds: Int64, _ meeting: Meeting, renames: Bool) async -> Apart {
        let out = Collector<TestNumber>()
        let drops = DropLog()
        let lines = Lock<[String]>([])
        let defaults = LiveDefaults()
        let (toStage, toSink) = (
            defaults.policy(toSink: false, .standsAlone), defaults.policy(toSink: true, .standsAlone)
        )
        var plan = Plan.building(mode: .live)
        plan.add("left", source: TimelineSource(camera(ahead: 0, beside: "l", offset: 0)))
        plan.add("right", source: TimelineSource(camera(ahead: milliseconds, beside: "r", offset: 1)))
        var from = ["left", "right"]
        if meeting == .behindStages {
            plan.add("near", stage: Pass(), from: ["left"], policy: toStage)
            plan.add("far", stage: Pass(), from: ["right"], policy: toStage)
            from = ["near", "far"]
        }
        if renames {
            plan.add(
                "renamed", stage: NameAfter(stream: "camera", name: "second"), from: [from[1]],
                policy: meeting == .behindStages ? nil : toStage)
            from[1] = "renamed"
        }
        if meeting == .sink {
            plan.add("out", sink: out.sink(), from: from, policy: toSink)
        } else {
            plan.add("work", stage: Pass(), from: from, policy: meeting == .stage && !renames ? toStage : nil)
            plan.add("out", sink: out.sink())
        }
        var options = Run.Options()
        options.clock = VirtualClock()
        options.onDrop = { drops.add($0) }
        options.log = Log { line in if line.level >= .warning { lines.withLock { $0.append(line.text) } } }
        let report = await Run(plan, options: options).finished()
        return Apart(report: report, frames: out.frames, drops: drops.records, lines: lines.withLock { $0 })
    }

    @Test(
        "Credits before joins: two sources of one stream whose clocks differ stall nothing else, and a warning names both",
        arguments: [3000, 3_600_000] as [Int64], Meeting.allCases)
    func clocksApart(milliseconds: Int64, meeting: Meeting) async throws {
        let outcome = await apart(milliseconds, meeting, renames: false)
        #expect(outcome.report.isSuccess, "\(outcome.report.failures) \(outcome.report.violations)")
        // The run takes no longer than its sources, which send for 9.6 s.
        #expect(outcome.report.duration < 10_000_000_000)
        #expect(outcome.values(of: "l") == Array(0..<600))
        #expect(outcome.values(of: "r") == Array(0..<600))
        let cameras = outcome.values(of: "camera")
        #expect(cameras.count >= 600)
        #expect(outcome.drops.allSatisfy { $0.reason == .late && $0.stream == "camera" })
        #expect(cameras.count + outcome.drops.count == 1200)
        #expect(outcome.report.ledger.losses == Int64(outcome.drops.count))
        #expect(outcome.report.ledger.losses > 0)
        let line = try #require(outcome.lines.first)
        #expect(outcome.lines.count == 1)
        for word in ["\"camera\"", "left", "right", "map_stream"] { #expect(line.contains(word), "\(line)") }
        let times = outcome.frames.filter { $0.stream == "camera" }.map(\.timestamp)
        #expect(times == times.sorted())
    }

    @Test(
        "Credits before joins: two sources of one stream in a join, whose clocks differ, stall nothing else, and a warning names both",
        arguments: [Alignment(.exact), Alignment(.approximate, toleranceMs: 20), Alignment(.latest)], [true, false])
    func alignedClocksApart(alignment: Alignment, isFirstAhead: Bool) async throws {
        let out = Collector<TestNumber>()
        let drops = DropLog()
        let lines = Lock<[String]>([])
        let slots = LiveDefaults().policy(toSink: false, .standsAlone)
        var plan = Plan.building(mode: .live)
        plan.add("left", source: TimelineSource(camera(ahead: isFirstAhead ? 60_000 : 0, beside: "pen", offset: 0)))
        plan.add("right", source: TimelineSource(camera(ahead: isFirstAhead ? 0 : 60_000, beside: "pen", offset: 1)))
        plan.add("near", stage: Pass(), from: ["left"], policy: slots)
        plan.add("far", stage: Pass(), from: ["right"], policy: slots)
        plan.add("sets", stage: Either(alignment: alignment), from: ["near", "far"])
        plan.add("out", sink: out.sink())
        var options = Run.Options()
        options.clock = VirtualClock()
        options.onDrop = { drops.add($0) }
        options.log = Log { line in if line.level >= .warning { lines.withLock { $0.append(line.text) } } }
        let report = await Run(plan, options: options).finished()
        #expect(report.isSuccess, "\(report.failures) \(report.violations)")
        #expect(report.duration < 10_000_000_000)
        func values(of stream: StreamID) -> [Int] { out.frames.filter { $0.stream == stream }.map(\.payload.value) }
        // No set is missing for a stream whose clocks agree. `exact` forms one set for every frame, because no two frames have the
        // same timestamp.
        let sets = alignment.rule == .exact ? (0..<600).flatMap { [$0, $0] } : Array(0..<600)
        #expect(values(of: "pen") == sets)
        #expect(!drops.records.contains { $0.stream == "pen" && $0.reason == .late })
        let cameras = values(of: "camera")
        let isLate = alignment.rule == .exact || isFirstAhead
        #expect(cameras.count >= 600)
        #expect(drops.records.filter { $0.reason == .edgeFull }.isEmpty)
        let lost = drops.records.filter { $0.stream == "camera" && $0.place == "sets" }
        #expect(lost.contains { $0.reason == (isLate ? .late : .unmatched) })
        let line = try #require(lines.withLock { $0 }.first)
        #expect(lines.withLock { $0.count } == 1)
        for word in ["\"camera\"", "left", "right", "map_stream", isLate ? "late" : "unmatched"] {
            #expect(line.contains(word), "\(line)")
        }
    }

    @Test(
        "Credits before joins: two sources of one stream whose clocks agree lose nothing", arguments: Meeting.allCases)
    func clocksAgree(meeting: Meeting) async {
        let outcome = await apart(0, meeting, renames: false)
        #expect(outcome.report.isSuccess)
        #expect(outcome.values(of: "camera") == Array(0..<1200))
        #expect(outcome.drops.isEmpty)
        #expect(outcome.lines.isEmpty)
    }

    @Test(
        "Credits before joins: when one of two streams with the same name is renamed, all frames of both arrive",
        arguments: [0, 3000, 3_600_000] as [Int64],
        Meeting.allCases)
    func renamedApart(milliseconds: Int64, meeting: Meeting) async {
        let outcome = await apart(milliseconds, meeting, renames: true)
        #expect(outcome.report.isSuccess, "\(outcome.report.failures) \(outcome.report.violations)")
        #expect(outcome.report.duration < 10_000_000_000)
        #expect(outcome.values(of: "camera") == (0..<600).map { 2 * $0 })
        #expect(outcome.values(of: "second") == (0..<600).map { 2 * $0 + 1 })
        #expect(outcome.values(of: "l") == Array(0..<600))
        #expect(outcome.values(of: "r") == Array(0..<600))
        #expect(outcome.drops.isEmpty)
        #expect(outcome.lines.isEmpty)
    }
}
