import PipelineTesting
import Testing

@testable import Pipeline

private struct Pass: Stage {
    mutating func process(_ frame: Frame<TestNumber>, into emitter: borrowing Emitter<TestNumber>) {
        emitter.forward(frame)
    }
}

/// Passes on whatever frames stand in a set, one of them.
private struct Either: AlignedStage {
    typealias Element = TestNumber
    var alignment = Alignment()

    mutating func process(_ frame: Frame<Aligned<TestNumber>>, into emitter: borrowing Emitter<TestNumber>) {
        for value in frame.payload.values.lazy.compactMap({ $0 }).prefix(1) { emitter.emit(value) }
    }
}

/// Edges with slots before places where edges come together, in virtual time.
@Suite("Slots before joins")
struct LiveJoinTests {
    /// Where the edges come together, and where the slots are.
    enum Shape: CaseIterable {
        case merge, mergeBehindStages, mergeAtSink, mergeTwice, diamond
        case exact, latest, alignedDiamond, alignedBehindStages
    }

    private static let names: [StreamID] = ["p", "q", "r"]

    /// Frames of several streams, each with increasing timestamps, that come in some order up to 5 ms late.
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
        "whatever comes when, nothing stands still, the account closes, and the time of a stream never goes back",
        arguments: Shape.allCases)
    func goesOn(shape: Shape) async {
        for seed in 0..<60 as Range<UInt64> {
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

    // While z is worked on, both frames of p wait on both edges.
    @Test("what comes of one source over two edges, one of which another source shares, stays in order")
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

    @Test("ended in the middle, what waits where edges come together is accounted for", arguments: Shape.allCases)
    func cancelled(shape: Shape) async {
        for seed in 0..<60 as Range<UInt64> {
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

    @Test("with nothing to do but to wait for each other, no frame of either source is dropped")
    func nothingIsBusy() async {
        for seed in 0..<60 as Range<UInt64> {
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
}
