import PipelineTesting
import Testing

@testable import Pipeline

/// Emits the number of frames that this instance has processed. If it claims to be stateless, the claim is false, which shows which
/// frames share an instance.
private struct CountCalls: Stage {
    let isStateless: Bool
    private var calls = 0

    init(isStateless: Bool) { self.isStateless = isStateless }

    mutating func process(
        _ number: consuming TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) {
        calls += 1
        emitter.emit(TestNumber(calls))
    }
}

@Suite struct StatelessStageTests {
    @Test("Stages: all streams share one instance of a stateless stage, and each has its own of any other")
    func sharing() async {
        let frames = (0..<6).map {
            Frame(TestNumber($0), at: .milliseconds(Int64($0)), stream: StreamID("s\($0 % 3)"), sequence: Int64($0 / 3))
        }
        let shared = await StageHarness(CountCalls(isStateless: true)).run(frames)
        #expect(shared.payloads.map(\.value) == [1, 2, 3, 4, 5, 6])
        let own = await StageHarness(CountCalls(isStateless: false)).run(frames)
        #expect(own.payloads.map(\.value) == [1, 1, 1, 2, 2, 2])
        // What the engine keeps for each stream is the same.
        #expect(shared.frames.map(\.stream) == own.frames.map(\.stream))
        #expect(shared.frames.map(\.sequence) == own.frames.map(\.sequence))
    }

    @Test("Stages: each worker has its own instance of a stateless stage")
    func workers() async throws {
        let frames = (0..<8).map {
            Frame(TestNumber($0), at: .milliseconds(Int64($0)), stream: StreamID("s\($0 % 4)"), sequence: Int64($0 / 4))
        }
        let out = Collector<TestNumber>()
        var plan = Plan.building()
        plan.add("in", source: FramesSource(frames))
        plan.add("count", stage: CountCalls(isStateless: true))
        plan.nodes[1].workers = 2
        plan.add("out", sink: out.sink())
        #expect(await Run(plan).finished().isSuccess)
        // Two streams belong to each worker.
        #expect(out.frames.map(\.payload.value) == [1, 1, 2, 2, 3, 3, 4, 4])
    }

    @Test("Conformance suites: a stage that claims to be stateless but is not is caught")
    func falseClaim() async {
        let rules = await StageConformance(CountCalls(isStateless: true)).violations().map(\.rule)
        #expect(rules.contains("stateless_output_depends_only_on_frame"))
    }
}
