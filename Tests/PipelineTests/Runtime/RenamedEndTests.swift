import PipelineTesting
import Testing

@testable import Pipeline
@testable import PipelineConfiguration

/// Renames the streams that have a new name.
private struct Rename: Stage {
    let names: [StreamID: StreamID]
    var renamesStreams: Bool { true }

    mutating func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) {
        emitter.emit(number, stream: names[header.stream] ?? header.stream)
    }
}

private struct DropAll: Stage {
    mutating func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) {
        emitter.drop("unwanted")
    }
}

/// Emits the number of frames in each set.
private struct Count: AlignedStage {
    typealias Element = TestNumber
    let alignment: Alignment

    mutating func process(
        _ set: Aligned<TestNumber>, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) {
        emitter.emit(TestNumber(set.values.count { $0 != nil }))
    }
}

/// Emits the number of a stream's frames when the stream ends.
private struct Tally: Stage {
    var count = 0

    mutating func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) {
        count += 1
    }

    mutating func finish(into emitter: borrowing Emitter<TestNumber>) { emitter.emit(TestNumber(count)) }
}

/// Emits the last number of a stream when the stream has been quiet for 10 µs, or when it ends, and renames the stream.
private struct RenameLast: Stage {
    let names: [StreamID: StreamID]
    private var last: TestNumber?
    private var name: StreamID = ""
    var renamesStreams: Bool { true }

    init(names: [StreamID: StreamID]) { self.names = names }

    mutating func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) {
        (last, name) = (number, names[header.stream] ?? header.stream)
        emitter.wake(at: header.timestamp.advanced(byMicroseconds: 10))
    }

    mutating func wake(at time: Timestamp, into emitter: borrowing Emitter<TestNumber>) { finish(into: emitter) }

    mutating func finish(into emitter: borrowing Emitter<TestNumber>) {
        if let last { emitter.emit(last, stream: name) }
        last = nil
    }
}

@Suite("Ends of renamed streams")
struct RenamedEndTests {
    private typealias Item = FramesSource<TestNumber>.Item

    /// Returns `count` frames of a stream, and its end.
    private func epoch(_ stream: StreamID, _ count: Int) -> [Item] {
        (1...count).map { .frame(Frame(TestNumber($0), at: .milliseconds(Int64($0)), stream: stream)) } + [.end(stream)]
    }

    private func finished(_ plan: Plan, _ sourceLocation: SourceLocation = #_sourceLocation) async -> RunReport {
        let report = await Run(plan).finished()
        #expect(report.isSuccess, "\(report.failures) \(report.violations)", sourceLocation: sourceLocation)
        return report
    }

    @Test(
        "The end of a stream follows its frames under the new name, so no frame of the next epoch is late",
        arguments: [nil, 1, 3])
    func epochs(workers: Int?) async {
        let out = Collector<TestNumber>()
        var plan = Plan.building()
        plan.add(
            "in", source: FramesSource(items: (0..<3).flatMap { _ in epoch("a", 5) + epoch("b", 2) }, batchSize: 4))
        plan.add("rename", stage: Rename(names: ["a": "x", "b": "y"]))
        plan.nodes[1].workers = workers
        plan.add("tally", stage: Tally())
        plan.add("out", sink: out.sink())
        let report = await finished(plan)
        #expect(report.ledger.losses == 0)
        #expect(out.frames.map { "\($0.stream) \($0.payload.value)" } == ["x 5", "y 2", "x 5", "y 2", "x 5", "y 2"])
    }

    @Test("A stream that several streams were renamed to ends with the last of them", arguments: [nil, 1, 3])
    func several(workers: Int?) async {
        let frames = { (stream: StreamID, time: Int64) in
            Item.frame(Frame(TestNumber(0), at: .milliseconds(time), stream: stream))
        }
        let items = [
            frames("a", 1), frames("b", 2), .end("a"), frames("b", 3), .end("b"), frames("a", 1), .end("a"),
            frames("b", 4),
        ]
        let out = Collector<TestNumber>()
        var plan = Plan.building()
        plan.add("in", source: FramesSource(items: items))
        plan.add("rename", stage: Rename(names: ["a": "all", "b": "all"]))
        plan.nodes[1].workers = workers
        plan.add("tally", stage: Tally())
        plan.add("out", sink: out.sink())
        #expect(await finished(plan).ledger.losses == 0)
        #expect(out.frames.map(\.payload.value) == [3, 1, 1])
    }

    /// Runs a source, ``RenameLast`` and ``Tally``, and returns the stream and the count of each tally.
    private func tallies(_ items: [Item], maxStreams: Int = 10, workers: Int?) async -> [String] {
        let out = Collector<TestNumber>()
        var plan = Plan.building()
        plan.maxStreams = maxStreams
        plan.add("in", source: FramesSource(items: items, batchSize: 1))
        plan.add("rename", stage: RenameLast(names: ["a": "x", "b": "y", "c": "z"]))
        plan.nodes[1].workers = workers
        plan.add("tally", stage: Tally())
        plan.add("out", sink: out.sink())
        #expect(await finished(plan).ledger.losses == 0)
        return out.frames.map { "\($0.stream) \($0.payload.value)" }
    }

    private func frame(_ stream: StreamID, _ time: Int64) -> Item {
        .frame(Frame(TestNumber(0), at: .milliseconds(time), stream: stream))
    }

    @Test(
        "What a stream emits when it is evicted belongs to that stream, not to the stream that took its place",
        arguments: [nil, 1, 2, 8])
    func evicted(workers: Int?) async {
        // The third stream evicts `a`, and the new `a` evicts `b`.
        let items = [frame("a", 5), frame("b", 6), frame("c", 7), .end("a"), frame("a", 1), .end("a")]
        #expect(await tallies(items, maxStreams: 2, workers: workers) == ["x 1", "y 1", "x 1", "z 1"])
    }

    @Test(
        "What a stream emits at a watermark for all streams counts as output of that stream", arguments: [nil, 1, 2, 8])
    func boundOfAll(workers: Int?) async {
        let items = [
            frame("a", 5), frame("b", 6), .bound(.milliseconds(20)), .end("a"), frame("a", 1), .end("b"), .end("a"),
        ]
        #expect(await tallies(items, workers: workers) == ["x 1", "y 1", "x 1"])
    }

    @Test("A join pairs the epochs of a renamed branch with those of another branch", arguments: [Mode.batch, .live])
    func pairs(mode: Mode) async {
        let out = Collector<TestNumber>()
        var plan = Plan.building(mode: mode)
        plan.add("in", source: FramesSource(items: (0..<3).flatMap { _ in epoch("a", 20) }))
        plan.add("rename", stage: Rename(names: [:]))
        plan.add("count", stage: Count(alignment: Alignment()), from: ["in", "rename"], policy: EdgePolicy())
        plan.add("out", sink: out.sink())
        _ = await finished(plan)
        #expect(out.frames.map(\.payload.value) == Array(repeating: 2, count: 60))
    }

    // Each epoch has one frame, so the lanes are full of ends of streams that the other lane never delivers.
    @Test(
        "A join does not wait for the end of a stream that the other branch never delivers",
        arguments: [Alignment(), Alignment(.latest)])
    func otherNames(alignment: Alignment) async {
        for names in [["rename", "none"], ["none", "rename"], ["rename", "in"]] {
            let out = Collector<TestNumber>()
            var plan = Plan.building()
            plan.add("in", source: FramesSource(items: (0..<400).flatMap { _ in epoch("a", 1) }))
            plan.add("rename", stage: Rename(names: ["a": "b"]), from: ["in"])
            plan.add("none", stage: DropAll(), from: ["in"])
            plan.add("count", stage: Count(alignment: alignment), from: names)
            plan.add("out", sink: out.sink())
            let report = await finished(plan)
            let unmatched = report.ledger.nodes.first { $0.id == "count" }?.alignment?.dropped[.unmatched] ?? 0
            #expect(out.frames.count + Int(unmatched) == (names.contains("in") ? 800 : 400), "\(names)")
        }
    }

    @Test("A stream that a stage has made ends behind a merge, also if one branch of the merge is slower")
    func slowBranch() async {
        let out = Collector<TestNumber>()
        var plan = Plan.building()
        plan.add("in", source: FramesSource(items: (0..<2).flatMap { _ in epoch("a", 2) }))
        plan.add("rename", stage: Rename(names: ["a": "x"]), from: ["in"])
        plan.add("count", stage: Count(alignment: Alignment(.latest)), from: ["rename", "in"])
        plan.add("tally", stage: Tally(), from: ["rename", "count"])
        plan.add("out", sink: out.sink())
        _ = await finished(plan)
        // Two frames of each branch in each of the two epochs.
        #expect(out.frames.filter { $0.stream == "x" }.map(\.payload.value) == [4, 4])
    }

    @Test("Failed frames whose times go back can be renamed")
    func renamedFailures() async {
        struct Sort: Stage {
            var renamesStreams: Bool { true }
            mutating func process(
                _ frame: FailedFrame, _ header: borrowing Header, into emitter: borrowing Emitter<FailedFrame>
            ) {
                emitter.emit(frame, stream: "bad")
            }
        }
        let out = Collector<FailedFrame>()
        var plan = Plan.building()
        let frames = [9, 8, 7].map { Frame(TestNumber($0), at: .milliseconds(Int64($0)), stream: "a") }
        plan.add("in", source: FramesSource(frames), onError: .route)
        plan.add("rest", sink: Collector<TestNumber>().sink(), from: ["in"])
        plan.add("sort", stage: Sort(), from: ["in.errors"])
        plan.add("out", sink: out.sink())
        _ = await finished(plan)
        #expect(out.frames.map(\.stream) == ["bad", "bad"])
        #expect(out.frames.map(\.timestamp) == [.milliseconds(8), .milliseconds(7)])
    }

    @Test("Failed frames whose times go back reach every stage and merge behind the error output", arguments: [1, 2])
    func failed(branches: Int) async {
        struct Keep: Stage {
            mutating func process(
                _ frame: FailedFrame, _ header: borrowing Header, into emitter: borrowing Emitter<FailedFrame>
            ) {
                emitter.emit(frame)
            }
        }
        let frames = [5, 4, 3, 2, 1].map { Frame(TestNumber($0), at: .milliseconds(Int64($0)), stream: "a") }
        let out = Collector<FailedFrame>()
        var plan = Plan.building()
        let names = (0..<branches).map { "in\($0)" }
        for name in names { plan.add(name, source: FramesSource(frames), onError: .route) }
        plan.add("rest", sink: Collector<TestNumber>().sink(), from: names)
        plan.add("keep", stage: Keep(), from: names.map { $0 + ".errors" })
        plan.add("out", sink: out.sink())
        _ = await finished(plan)
        #expect(out.frames.count == 4 * branches)
    }

    @Test(
        "If there are too many renamed streams at a time, their ends are not passed on, because they could come too early"
    )
    func limit() {
        var streams = OutputStreams(maxNames: 2)
        streams.note("x", madeFrom: "a")
        streams.note("x", madeFrom: "b")
        streams.note("x", madeFrom: "b")
        #expect(streams.end("a").map(\.name) == [])
        #expect(streams.end("b").map(\.name) == ["x"])
        for input in ["c", "d", "e"] as [StreamID] { streams.note("x", madeFrom: input) }
        #expect(streams.end("e").map(\.name) == [])
        streams.note("y", madeFrom: "f")
        #expect(streams.end("f").map(\.name) == [])
    }
}
