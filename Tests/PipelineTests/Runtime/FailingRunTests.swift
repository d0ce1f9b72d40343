import PipelineTesting
import Testing

@testable import Pipeline

/// Passes numbers on, and fails at one of them.
private struct Break: Stage {
    let at: Int

    mutating func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) throws {
        if number.value == at { throw PipelineError.frame("break.here", "it broke") }
        emitter.emit(number)
    }
}

/// Emits the sum of every three numbers, and at the end the sum of the rest.
private struct Sum: Stage {
    private var sum = 0
    private var count = 0

    mutating func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) {
        sum += number.value
        count += 1
        if count == 3 { finish(into: emitter) }
    }

    mutating func finish(into emitter: borrowing Emitter<TestNumber>) {
        if count > 0 { emitter.emit(TestNumber(sum)) }
        (sum, count) = (0, 0)
    }
}

/// Emits the sum of each set.
private struct Both: AlignedStage {
    typealias Element = TestNumber
    let alignment = Alignment(.exact)

    mutating func process(
        _ set: Aligned<TestNumber>, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) {
        emitter.emit(TestNumber(set.values.reduce(0) { $0 + ($1?.value ?? 0) }))
    }
}

/// The output of a batch run before it fails.
@Suite("Runs that fail")
struct FailingRunTests {
    /// Returns a plan with two branches that both get the numbers 0 to 19. The first branch, `left`, fails at 7. The caller adds
    /// the nodes that take their output.
    private func plan(batchSize: Int, capacity: Int) -> Plan {
        var plan = Plan.building()
        let frames = (0..<20).map {
            Frame(TestNumber($0), at: .microseconds(Int64($0) * 1000), stream: "s", sequence: Int64($0))
        }
        let policy = EdgePolicy(capacity: capacity)
        plan.add("in", source: FramesSource(frames, batchSize: batchSize))
        plan.add("left", stage: Break(at: 7), from: ["in"], policy: policy)
        plan.add("right", stage: Break(at: -1), from: ["in"], policy: policy)
        return plan
    }

    private static let settings = [(1, 64), (3, 64), (64, 64), (64, 1), (2, 3)]

    @Test(
        "Failed runs: a merge delivers all frames before the first frame that the failed branch did not send",
        arguments: settings)
    func merge(batchSize: Int, capacity: Int) async {
        for _ in 0..<20 {
            let out = Collector<TestNumber>()
            var plan = plan(batchSize: batchSize, capacity: capacity)
            plan.add("out", sink: out.sink(), from: ["left", "right"])
            let report = await Run(plan).finished()
            #expect(report.failures.map(\.node) == ["left"])
            #expect(report.violations == [])
            #expect(out.frames.map(\.payload.value) == (0..<7).flatMap { [$0, $0] })
        }
    }

    @Test("Failed runs: a join makes no set that lacks a frame of the failed branch", arguments: settings)
    func join(batchSize: Int, capacity: Int) async {
        for _ in 0..<20 {
            let out = Collector<TestNumber>()
            var plan = plan(batchSize: batchSize, capacity: capacity)
            plan.add("both", stage: Both(), from: ["left", "right"])
            plan.add("out", sink: out.sink())
            let report = await Run(plan).finished()
            #expect(report.failures.map(\.node) == ["left"])
            #expect(report.violations == [])
            #expect(out.frames.map(\.payload.value) == (0..<7).map { $0 * 2 })
        }
    }

    @Test("Failed runs: a stage downstream of the failed stage does not emit what it holds", arguments: [nil, 1, 64])
    func held(capacity: Int?) async {
        let out = Collector<TestNumber>()
        var plan = plan(batchSize: 5, capacity: 64)
        plan.add("sum", stage: Sum(), from: ["left"], policy: capacity.map { EdgePolicy(capacity: $0) })
        plan.add("out", sink: out.sink())
        plan.add("rest", sink: Collector<TestNumber>().sink(), from: ["right"])
        let report = await Run(plan).finished()
        #expect(report.failures.map(\.node) == ["left"])
        // The stage still holds 6 when the run fails.
        #expect(out.frames.map(\.payload.value) == [3, 12])
    }

    @Test(
        "Failed runs: a stage that fails while its stream ends does not end the stream downstream", arguments: [1, 64])
    func end(batchSize: Int) async {
        let out = Collector<TestNumber>()
        var plan = Plan.building()
        func frame(_ number: Int) -> FramesSource<TestNumber>.Item {
            let time = Timestamp.microseconds(Int64(number) * 1000)
            return .frame(Frame(TestNumber(number), at: time, stream: "s", sequence: Int64(number)))
        }
        let items = (1...4).map(frame) + [.end("s"), frame(5)]
        plan.add("in", source: FramesSource(items: items, batchSize: batchSize))
        // Emits 6, and 4 at the end of the stream.
        plan.add("first", stage: Sum(), from: ["in"])
        plan.add("broken", stage: Break(at: 4), from: ["first"])
        // Would emit 6 if the stream ended.
        plan.add("second", stage: Sum(), from: ["broken"])
        plan.add("other", stage: Break(at: -1), from: ["broken"])
        plan.add("out", sink: out.sink(), from: ["second"])
        plan.add("rest", sink: Collector<TestNumber>().sink(), from: ["other"])
        let report = await Run(plan).finished()
        #expect(report.failures.map(\.node) == ["broken"])
        #expect(report.violations == [])
        #expect(out.frames.isEmpty)
    }
}
