import PipelineTesting
import Synchronization
import Testing

@testable import Pipeline

private struct Keep: Stage {
    mutating func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) {
        emitter.emit(number)
    }
}

private struct KeepLater: AsyncStage {
    func process(_ frame: Frame<TestNumber>) async throws -> [TestNumber] { [frame.payload] }
}

/// Renames all streams to `x`.
private struct Rename: Stage {
    var renamesStreams: Bool { true }

    mutating func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) {
        emitter.emit(number, stream: "x")
    }
}

private struct Join: AlignedStage {
    typealias Element = TestNumber
    var alignment: Alignment { Alignment() }

    mutating func process(
        _ set: Aligned<TestNumber>, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) {
        emitter.emit(TestNumber(set.values.count))
    }
}

/// A sink that lists the ends of streams.
private struct EndsSink: Sink {
    typealias Input = TestNumber

    final class Told: Sendable { let ends = Lock<[String]>([]) }

    let told: Told
    let mayBlock: Bool

    mutating func write(_ frame: Frame<TestNumber>) {}
    mutating func end(_ stream: StreamID, _ end: StreamEnd) { told.ends.withLock { $0.append("\(stream) \(end)") } }
}

@Suite("Ends of streams that go on")
struct StreamEndTests {
    private func frame(_ stream: StreamID, _ time: Int64) -> FramesSource<TestNumber>.Item {
        .frame(Frame(TestNumber(0), at: .milliseconds(time), stream: stream))
    }

    /// Returns the ends that a sink receives after the nodes that `add` adds behind the source `in`.
    private func ends(
        _ items: [FramesSource<TestNumber>.Item], maxStreams: Int = 10, mayBlock: Bool = true,
        _ add: (inout Plan) -> [String] = { _ in ["in"] }
    ) async -> [String] {
        let told = EndsSink.Told()
        var plan = Plan.building()
        plan.maxStreams = maxStreams
        plan.add("in", source: FramesSource(items: items), rules: SourceRules(onDisorder: .newEpoch))
        let from = add(&plan)
        plan.add("out", sink: EndsSink(told: told, mayBlock: mayBlock), from: from)
        let report = await Run(plan).finished()
        #expect(report.isSuccess, "\(report.failures) \(report.violations)")
        return told.ends.withLock { $0 }
    }

    /// The time of `a` goes back once, then the stream ends.
    private var epochs: [FramesSource<TestNumber>.Item] {
        [frame("a", 1), frame("a", 2), frame("a", 1), .end("a")]
    }

    @Test("Ends: a sink learns whether a stream goes on with a new epoch or is over", arguments: [true, false])
    func sinks(mayBlock: Bool) async {
        #expect(await ends(epochs, mayBlock: mayBlock) == ["a restarts", "a over"])
    }

    @Test("Ends: stages and workers pass on whether a stream goes on", arguments: [nil, 1, 3])
    func stages(workers: Int?) async {
        let ends = await ends(epochs) { plan in
            plan.add("keep", stage: Keep())
            plan.nodes[1].workers = workers
            plan.add("later", asyncStage: KeepLater())
            return ["later"]
        }
        #expect(ends == ["a restarts", "a over"])
    }

    @Test("Ends: a merge and a join pass on whether a stream goes on", arguments: [true, false])
    func joins(isAligned: Bool) async {
        let ends = await ends(epochs) { plan in
            plan.add("keep", stage: Keep())
            guard isAligned else { return ["in", "keep"] }
            plan.add("join", stage: Join(), from: ["in", "keep"], policy: EdgePolicy())
            return ["join"]
        }
        #expect(ends == ["a restarts", "a over"])
    }

    @Test(
        "Ends: the end of a renamed stream says whether one of the streams that it was made from goes on",
        arguments: [nil, 3])
    func renamed(workers: Int?) async {
        func renamed(_ items: [FramesSource<TestNumber>.Item]) async -> [String] {
            await ends(items) { plan in
                plan.add("rename", stage: Rename())
                plan.nodes[1].workers = workers
                return ["rename"]
            }
        }
        #expect(await renamed(epochs) == ["x restarts", "x over"])
        // While `b` is open, the new epoch of `a` does not end the renamed stream.
        #expect(await renamed([frame("b", 1)] + epochs + [.end("b")]) == ["x over"])
    }

    @Test("Ends: the end of a renamed stream is over once no stream that it was made from goes on")
    func outputs() {
        var streams = OutputStreams(maxNames: 10)
        func end(_ stream: StreamID, _ end: StreamEnd) -> [String] {
            streams.end(stream, end).map { "\($0.name) \($0.end)" }
        }
        streams.note("x", madeFrom: "a")
        streams.note("x", madeFrom: "b")
        #expect(end("a", .restarts) == [])
        #expect(end("b", .over) == ["x restarts"])
        // Nothing was made from the new epoch of `a`.
        #expect(end("a", .over) == ["x over"])
        #expect(end("a", .over) == [])
        streams.note("x", madeFrom: "a")
        streams.note("x", madeFrom: "b")
        #expect(end("a", .restarts) == [])
        streams.note("x", madeFrom: "a")
        #expect(end("a", .over) == [])
        #expect(end("b", .over) == ["x over"])
    }

    @Test("Ends: a stream that was evicted to make room may go on")
    func evicted() async {
        #expect(await ends([frame("a", 1), frame("b", 2), .end("b")], maxStreams: 1) == ["a restarts", "b over"])
    }

    @Test("Ends: a sink that does not ask whether a stream goes on learns of every end")
    func plain() async {
        let out = Collector<TestNumber>()
        var plan = Plan.building()
        plan.add("in", source: FramesSource(items: epochs), rules: SourceRules(onDisorder: .newEpoch))
        plan.add("out", sink: out.sink())
        #expect(await Run(plan).finished().isSuccess)
        #expect(out.ended == ["a", "a"])
    }
}
