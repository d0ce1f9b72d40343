import PipelineTesting
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

/// Renames every stream.
private struct Name: Stage {
    let name: StreamID
    var renamesStreams: Bool { true }

    mutating func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) {
        emitter.emit(number, stream: name)
    }
}

/// Emits the sum of each set.
private struct Sum: AlignedStage {
    typealias Element = TestNumber
    let alignment: Alignment

    mutating func process(
        _ set: Aligned<TestNumber>, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) {
        emitter.emit(TestNumber(set.values.reduce(0) { $0 + ($1?.value ?? 0) }))
    }
}

/// Merges and joins of two branches, one of which renames streams, in virtual time.
@Suite("Branches that rename streams")
struct RenamedBranchTests {
    /// Returns one frame per millisecond, with a pause of a second after every `restAfter` frames. Each frame arrives `late`
    /// microseconds after its timestamp.
    private func source(_ count: Int, _ stream: StreamID = "a", late: Int64 = 0, restAfter: Int = .max)
        -> TimelineSource<TestNumber>
    {
        TimelineSource(
            (0..<count).map { number in
                let time = Int64(number) * 1000 + Int64(number / restAfter) * 1_000_000
                return .init(
                    at: time + late,
                    Frame(TestNumber(number), at: .microseconds(time), stream: stream, sequence: Int64(number)))
            })
    }

    private func run(_ plan: Plan) async -> (report: RunReport, drops: [DropRecord]) {
        let drops = DropLog()
        var options = Run.Options()
        options.clock = VirtualClock()
        options.onDrop = { drops.add($0) }
        return (await Run(plan, options: options).finished(), drops.records)
    }

    private func values(_ out: Collector<TestNumber>, _ stream: StreamID) -> [Int] {
        out.frames.filter { $0.stream == stream }.map(\.payload.value)
    }

    @Test(
        "Renamed streams: a merge does not wait for a branch that cannot send the new name",
        arguments: [["in", "named"], ["named", "in"]])
    func merge(from: [String]) async {
        let out = Collector<TestNumber>()
        var plan = Plan.building(mode: .live)
        plan.add("in", source: source(500))
        plan.add("named", stage: Name(name: "b"), from: ["in"])
        plan.add("both", stage: Pass(), from: from)
        plan.add("out", sink: out.sink())
        let (report, drops) = await run(plan)
        #expect(report.isSuccess, "\(report.failures)")
        #expect(drops.isEmpty)
        // Both streams are emitted as their frames arrive, and not only when the source has ended.
        #expect(out.frames.map(\.payload.value) == (0..<500).flatMap { [$0, $0] })
        #expect(values(out, "b") == Array(0..<500))
    }

    @Test(
        "Renamed streams: sets of a stream that only one branch sends do not wait for the other",
        arguments: [true, false].flatMap { isLive in [["in", "named"], ["named", "in"]].map { (isLive, $0) } },
        [Alignment(.exact), Alignment(.approximate, toleranceMs: 3), Alignment(.latest)])
    func sets(graph: (isLive: Bool, from: [String]), alignment: Alignment) async {
        let (isLive, from) = graph
        let out = Collector<TestNumber>()
        var plan = Plan.building(mode: isLive ? .live : .batch)
        plan.add("in", source: source(500))
        plan.add("named", stage: Name(name: "b"), from: ["in"])
        plan.add("sets", stage: Sum(alignment: alignment), from: from)
        plan.add("out", sink: out.sink())
        let (report, drops) = await run(plan)
        #expect(report.isSuccess, "\(report.failures)")
        // Only `exact` treats all edges alike. The other rules make sets only for frames of the first edge.
        let first: StreamID = from[0] == "in" ? "a" : "b"
        for stream in ["a", "b"] as [StreamID] {
            let hasSets = alignment.rule == .exact || stream == first
            #expect(values(out, stream) == (hasSets ? Array(0..<500) : []))
            let dropped = drops.filter { $0.stream == stream }
            #expect(dropped.map(\.reason) == Array(repeating: .unmatched, count: hasSets ? 0 : 500))
        }
    }

    @Test("Renamed streams: a stream that starts over does not wait for its end on a branch that never sent it")
    func epochs() async {
        let out = Collector<TestNumber>()
        var plan = Plan.building(mode: .live)
        plan.streamIdleMs = 500
        plan.add("in", source: source(500, restAfter: 10))
        plan.add("named", stage: Name(name: "b"), from: ["in"])
        plan.add("sets", stage: Sum(alignment: Alignment(.exact)), from: ["in", "named"])
        plan.add("out", sink: out.sink())
        let (report, drops) = await run(plan)
        #expect(report.isSuccess, "\(report.failures)")
        #expect(drops.isEmpty)
        #expect(values(out, "a") == Array(0..<500))
        #expect(values(out, "b") == Array(0..<500))
    }

    @Test("Renamed streams: a renamed stream is joined with a stream that a source sends under the same name")
    func pairs() async {
        let out = Collector<TestNumber>()
        var plan = Plan.building(mode: .live)
        plan.add("left", source: source(300))
        plan.add("right", source: source(300, "b", late: 40_000))
        plan.add("named", stage: Name(name: "a"), from: ["right"])
        plan.add("sets", stage: Sum(alignment: Alignment(.exact)), from: ["left", "named"])
        plan.add("out", sink: out.sink())
        let (report, drops) = await run(plan)
        #expect(report.isSuccess, "\(report.failures)")
        #expect(drops.isEmpty)
        #expect(values(out, "a") == (0..<300).map { 2 * $0 })
    }
}
