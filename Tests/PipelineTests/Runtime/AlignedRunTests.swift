import PipelineTesting
import Testing

@testable import Pipeline

/// Emits the sum of each set. An absent frame counts as 1,000,000.
private struct SumUp: AlignedStage {
    typealias Element = TestNumber
    var alignment = Alignment()

    mutating func process(
        _ set: Aligned<TestNumber>, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) {
        emitter.emit(TestNumber(set.values.reduce(0) { $0 + ($1?.value ?? 1_000_000) }))
    }
}

private struct Plus: Stage {
    var amount = 0

    mutating func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) {
        emitter.emit(TestNumber(number.value + amount))
    }
}

/// Passes on one frame in `every`, and at the end the number of frames that it has seen.
private struct Few: Stage {
    var every = 1
    var seen = 0

    mutating func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) {
        seen += 1
        if seen % every == 0 { emitter.emit(number) }
    }

    mutating func finish(into emitter: borrowing Emitter<TestNumber>) { emitter.emit(TestNumber(seen)) }
}

private func frames(_ count: Int, streams: Int = 1) -> [Frame<TestNumber>] {
    (0..<count).map { index in
        Frame(
            TestNumber(index), at: .milliseconds(Int64(index)), stream: StreamID("s\(index % streams)"),
            sequence: Int64(index))
    }
}

@Suite struct AlignedRunTests {
    @Test(
        "Joins: branches of a fan-out that are joined give one set for each frame, and the ledger balances",
        arguments: [1, 7, 64, 1000],
        [1, 3])
    func fanOut(batchSize: Int, streams: Int) async {
        let out = Collector<TestNumber>()
        var plan = Plan.building()
        plan.add("in", source: FramesSource(frames(1000, streams: streams), batchSize: batchSize))
        plan.add("one", stage: Plus(amount: 1), from: ["in"])
        plan.add("ten", stage: Plus(amount: 10), from: ["in"])
        plan.add("sum", stage: SumUp(), from: ["one", "ten"])
        plan.add("out", sink: out.sink())
        let report = await Run(plan).finished()
        #expect(report.failures.isEmpty)
        #expect(report.violations == [])
        #expect(out.frames.map(\.payload.value) == (0..<1000).map { 2 * $0 + 11 })
        #expect(out.frames.map(\.sequence) == (0..<1000).map { Int64($0) })
        let sum = report.ledger.nodes[3]
        #expect((sum.received, sum.alignment?.frames, sum.alignment?.used) == (1000, 2000, 2000))
    }

    @Test("Joins: a branch that passes one frame in 300 leaves empty places in sets, and blocks no other branch")
    func missing() async {
        let out = Collector<TestNumber>()
        var plan = Plan.building()
        plan.add("in", source: FramesSource(frames(3000)))
        plan.add("few", stage: Few(every: 300), from: ["in"])
        plan.add("all", stage: Plus(), from: ["in"])
        plan.add("sum", stage: SumUp(), from: ["few", "all"])
        plan.add("out", sink: out.sink())
        let report = await Run(plan).finished()
        #expect(report.isSuccess, "\(report.failures) \(report.violations)")
        #expect(out.frames.count == 3001)
        #expect(out.frames.count { $0.payload.value < 1_000_000 } == 10)
        // The output of the branch at the end forms its own set.
        #expect(out.frames.last?.payload.value == 1_003_000)
    }

    @Test("Joins: output of two branches at the end of a stream is joined")
    func endOfStream() async {
        let out = Collector<TestNumber>()
        var items = frames(200).map { FramesSource<TestNumber>.Item.frame($0) }
        items.append(.end("s0"))
        items += frames(100).map { .frame($0) }
        var plan = Plan.building()
        plan.add("in", source: FramesSource(items: items, batchSize: 9))
        plan.add("left", stage: Few(every: 1000), from: ["in"])
        plan.add("right", stage: Few(every: 1000), from: ["in"])
        plan.add("sum", stage: SumUp(), from: ["left", "right"])
        plan.add("out", sink: out.sink())
        let report = await Run(plan).finished()
        #expect(report.isSuccess, "\(report.failures) \(report.violations)")
        #expect(out.frames.map(\.payload.value) == [400, 200])
    }

    @Test("Joins: the order of sets depends on neither the batches of sources nor other streams")
    func order() async {
        var results: [[String]] = []
        for (first, second) in [(1, 1), (64, 3), (5, 1000), (1000, 1)] {
            let out = Collector<TestNumber>()
            var plan = Plan.building()
            // One recording is sorted by time, the other by stream.
            let sorted = frames(600, streams: 4)
            let byStream = sorted.sorted { ($0.stream.name, $0.timestamp) < ($1.stream.name, $1.timestamp) }
            plan.add("a", source: FramesSource(sorted, batchSize: first))
            plan.add("b", source: FramesSource(byStream, batchSize: second))
            plan.add(
                "sum", stage: SumUp(), from: ["a", "b"], policy: EdgePolicy(capacity: 1000))
            plan.add("out", sink: out.sink())
            let report = await Run(plan).finished()
            #expect(report.isSuccess, "\(report.failures) \(report.violations)")
            results.append(out.frames.map { "\($0.stream) \($0.timestamp) \($0.payload.value)" })
        }
        #expect(results[0].count == 600)
        #expect(results.allSatisfy { $0 == results[0] })
    }

    @Test("Joins: a frame that no set uses is dropped as unmatched, and counts as a drop of the node")
    func unmatched() async {
        let out = Collector<TestNumber>()
        let drops = DropLog()
        var plan = Plan.building()
        let slow = (0..<10).map { Frame(TestNumber($0), at: .milliseconds(Int64($0) * 10), stream: "s0") }
        plan.add("slow", source: FramesSource(slow))
        plan.add("fast", source: FramesSource(frames(91)))
        plan.add("sum", stage: SumUp(alignment: Alignment(.latest)), from: ["slow", "fast"])
        plan.add("out", sink: out.sink())
        var options = Run.Options()
        options.onDrop = { drops.add($0) }
        let report = await Run(plan, options: options).finished()
        #expect(report.isSuccess, "\(report.failures) \(report.violations)")
        #expect(out.frames.map(\.payload.value) == (0..<10).map { $0 + $0 * 10 })
        let sum = report.ledger.nodes[2]
        #expect(sum.allDropped == [.unmatched: 81])
        #expect(sum.droppedTotal == 81)
        #expect(Set(drops.records.map(\.place)) == ["sum"])
        #expect(drops.records.count == 81)
        #expect(report.ledger.losses == 0)
    }

    @Test(
        "Joins: a join that needs more frames at once than its queues hold ends the run with a deadlock that names the edges"
    )
    func deadlock() async {
        let out = Collector<TestNumber>()
        var plan = Plan.building()
        plan.add("in", source: FramesSource(frames(1500)))
        plan.add("near", stage: Plus(), from: ["in"])
        plan.add("far", stage: Few(every: 1000), from: ["in"])
        plan.add("sum", stage: SumUp(alignment: Alignment(.approximate, toleranceMs: 600)), from: ["near", "far"])
        plan.add("out", sink: out.sink())
        var options = Run.Options()
        options.clock = VirtualClock()
        let report = await Run(plan, options: options).finished()
        #expect(report.duration < 1_000_000_000, "within a second")
        let failure = report.failures.first?.error
        #expect(failure?.code == "run.deadlock")
        #expect(failure?.message.contains("near → sum") == true, "\(failure?.message ?? "")")
        #expect(failure?.message.contains("in → ") == true)
        #expect(report.violations == [])
        #expect(report.ledger.nodes[3].alignment.map { $0.frames == $0.used + ($0.dropped[.cancelled] ?? 0) } == true)

        // With larger queues, as the message recommends, the run succeeds.
        for index in plan.nodes.indices {
            for edge in plan.nodes[index].edges.indices { plan.nodes[index].edges[edge].policy.capacity = 6000 }
        }
        #expect(await Run(plan).finished().isSuccess)
    }

    @Test("Joins: output at the end of a stream reaches the stages downstream of an edge")
    func flushBehindAnEdge() async {
        let (left, right) = (Collector<TestNumber>(), Collector<TestNumber>())
        var plan = Plan.building()
        plan.add("in", source: FramesSource(frames(15)))
        plan.add("few", stage: Few(every: 10))
        plan.add("left", stage: Plus(), from: ["few"])
        plan.add("right", stage: Plus(), from: ["few"])
        plan.add("out", sink: left.sink(), from: ["left"])
        plan.add("out2", sink: right.sink(), from: ["right"])
        let report = await Run(plan).finished()
        #expect(report.isSuccess)
        #expect(left.frames.map(\.payload.value) == [9, 15])
        #expect(right.frames.map(\.payload.value) == [9, 15])
    }

    @Test(
        "Joins that bypass each other go on if one of their inputs is much longer than a queue", arguments: [20, 500])
    func bypasses(short: Int) async {
        func source(_ stream: StreamID, _ count: Int) -> FramesSource<TestNumber> {
            FramesSource((0..<count).map { Frame(TestNumber(1), at: .milliseconds(Int64($0)), stream: stream) })
        }
        let out = Collector<TestNumber>()
        var plan = Plan.building()
        plan.add("a", source: source("a", 1500))
        plan.add("b", source: source("b", short))
        plan.add("one", stage: SumUp(), from: ["b", "a"])
        plan.add("two", stage: SumUp(), from: ["one", "a"])
        plan.add("three", stage: SumUp(), from: ["two", "b"])
        plan.add("out", sink: out.sink())
        let report = await Run(plan).finished()
        #expect(report.isSuccess, "\(report.failures)")
        // An absent frame counts as 1,000,000. `a` is absent from `one` on the edge `b`, and so on.
        let a = out.frames.filter { $0.stream == "a" }.map(\.payload.value)
        let b = out.frames.filter { $0.stream == "b" }.map(\.payload.value)
        #expect(a == Array(repeating: 2_000_002, count: 1500))
        #expect(b == Array(repeating: 2_000_002, count: short))
    }
}
