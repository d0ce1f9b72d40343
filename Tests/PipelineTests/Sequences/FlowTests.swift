import Pipeline
import PipelineTesting
import Synchronization
import Testing

private struct Times: Stage {
    var factor = 2

    mutating func process(
        _ payload: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) {
        emitter.emit(TestNumber(payload.value * factor))
    }
}

/// Cannot process 13.
private struct Superstitious: Stage {
    mutating func process(
        _ payload: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) throws {
        if payload.value == 13 { throw PipelineError.frame("test.unlucky", "13 brings bad luck") }
        emitter.emit(payload)
    }
}

/// Emits the sum of each set. An absent frame counts as 100.
private struct Total: AlignedStage {
    typealias Element = TestNumber
    var alignment = Alignment()

    mutating func process(
        _ payload: Aligned<TestNumber>, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) {
        emitter.emit(TestNumber(payload.values.reduce(0) { $0 + ($1?.value ?? 100) }))
    }
}

private func numbers(_ values: [Int], stream: StreamID = "a") -> AsyncStream<Frame<TestNumber>> {
    AsyncStream { continuation in
        for (index, value) in values.enumerated() {
            continuation.yield(
                Frame(
                    TestNumber(value), at: .milliseconds(Int64(index)), stream: stream, sequence: Int64(index)))
        }
        continuation.finish()
    }
}

/// A clock that advances only on request. It starts at 5 ms.
private final class SteppedClock: RunClock {
    private let time = Lock<Int64>(5_000_000)

    var now: Int64 { time.withLock { $0 } }

    func step(_ nanoseconds: Int64) { time.withLock { $0 += nanoseconds } }

    func sleep(until deadline: Int64) async throws {}
}

extension AsyncSequence where Element == Frame<TestNumber> {
    fileprivate func values() async throws -> [Int] {
        var values: [Int] = []
        for try await frame in self { values.append(frame.payload.value) }
        return values
    }
}

@Suite struct FlowTests {
    @Test("Flows: consecutive stages are fused, and the ledger is available at the end")
    func fused() async throws {
        let flow = numbers([1, 2, 3]).through(Times()).through(Times(factor: 10))
        #expect(try await flow.values() == [20, 40, 60])
        let report = try await flow.report()
        #expect(report.isSuccess)
        #expect(report.ledger.nodes.map(\.id) == ["source", "Times", "Times-2"])
        #expect(report.ledger.nodes.map(\.received) == [3, 3, 3])
        // One queue after the source, one before the reader, and none between the stages.
        #expect(report.ledger.edges.count == 2)
    }

    @Test("Flows: payloads without a time get evenly spaced timestamps and sequence numbers")
    func payloads() async throws {
        let payloads = AsyncStream { continuation in
            for value in [5, 6, 7] { continuation.yield(TestNumber(value)) }
            continuation.finish()
        }
        var frames: [Frame<TestNumber>] = []
        for try await frame in payloads.through(Times(), times: .every(milliseconds: 2.5)) { frames.append(frame) }
        #expect(frames.map(\.timestamp) == [.zero, .microseconds(2500), .microseconds(5000)])
        #expect(frames.map(\.sequence) == [0, 1, 2])
        #expect(frames.map(\.payload.value) == [10, 12, 14])
    }

    @Test("Flows: payloads stamped on arrival have the time since the run began", .timeLimit(.minutes(1)))
    func arrival() async throws {
        let clock = SteppedClock()
        var options = Run.Options()
        options.clock = clock
        let payloads = AsyncStream<TestNumber>(unfolding: {
            clock.step(10_000_000)
            return clock.now > 35_000_000 ? nil : TestNumber(Int(clock.now / 1_000_000))
        })
        let flow = Pipeline.Graph(options: options).source(payloads, times: .arrival).through(Times())
        var frames: [Frame<TestNumber>] = []
        for try await frame in flow { frames.append(frame) }
        #expect(frames.map(\.payload.value) == [30, 50, 70])
        #expect(frames.map(\.timestamp) == [10, 20, 30].map { .milliseconds($0) })
    }

    @Test("Flows: results of several nodes are read one after the other", .timeLimit(.minutes(1)))
    func severalResults() async throws {
        let doubled = numbers(Array(0..<500)).through(Times())
        let tenfold = doubled.through(Times(factor: 5))
        let (first, second) = (try doubled.results(), try tenfold.results())
        #expect(try await first.values() == (0..<500).map { $0 * 2 })
        #expect(try await second.values() == (0..<500).map { $0 * 10 })
        #expect(try await doubled.report().violations == [])
    }

    @Test("Flows: flows are merged by time, and joined into sets")
    func joins() async throws {
        let graph = Pipeline.Graph()
        let (a, b) = (graph.source(numbers([1, 2, 3])), graph.source(numbers([10, 20])))
        #expect(try await graph.combine(a, b, with: Total()).values() == [11, 22, 103])

        let merging = Pipeline.Graph()
        let merged = merging.merge(
            merging.source(numbers([1, 2])), merging.source(numbers([3, 4])).through(Times(factor: 1)))
        #expect(try await merged.values() == [1, 3, 2, 4])
        #expect(try merging.plan().nodes.map(\.id) == ["source", "source-2", "Times", "merge"])
    }

    @Test("Flows: sinks get every frame that flows into them, in addition to readers")
    func sinks() async throws {
        let out = Collector<TestNumber>()
        let doubled = numbers([1, 2, 3]).through(Times())
        doubled.into(out.sink())
        #expect(try await doubled.through(Times()).values() == [4, 8, 12])
        #expect(try await doubled.report().isSuccess)
        #expect(out.frames.map(\.payload.value) == [2, 4, 6])
    }

    @Test("Flows: a graph with a sink and no reader runs when its report is requested")
    func onlySinks() async throws {
        let out = Collector<TestNumber>()
        let graph = Pipeline.Graph()
        graph.source(numbers([1, 2])).into(out.sink())
        #expect(try await graph.report().isSuccess)
        #expect(out.frames.map(\.payload.value) == [1, 2])
    }

    @Test("Flows: frames that a stage cannot process form their own flow if it is requested")
    func errors() async throws {
        let checked = numbers([1, 13, 3]).through(Superstitious())
        let (bad, good) = (checked.errors(), checked)
        let (failed, passed) = (try bad.results(), try good.results())
        var codes: [String] = []
        for try await frame in failed { codes.append(frame.payload.error.code) }
        #expect(codes == ["test.unlucky"])
        #expect(try await passed.values() == [1, 3])
    }

    @Test("Flows: a busy pipeline that drops is live, and its edges are those of a live configuration")
    func busy() throws {
        let plan = try Pipeline.Graph().source(numbers([]), busy: .dropOldest).through(Times()).graph.plan()
        #expect(plan.mode == .live)
        #expect(plan.nodes[1].edges[0].policy == EdgePolicy(capacity: 1, onFull: .dropOldest, inFlight: 1))
        #expect(plan.nodes[1].onError == .skip)
        let waiting = try numbers([]).through(Times()).graph.plan()
        #expect(waiting.mode == .batch)
        #expect(waiting.nodes[1].edges[0].policy == EdgePolicy(capacity: 256, onFull: .wait))
        #expect(waiting.nodes[1].onError == .fail)
        let own = EdgePolicy(capacity: 3, onFull: .dropNewest, inFlight: 2)
        let chosen = try Pipeline.Graph().source(numbers([]), busy: .policy(own)).through(Times()).graph.plan()
        #expect(chosen.nodes[1].edges[0].policy == own)
    }

    @Test("Flows: a live pipeline that drops accounts for every frame", .timeLimit(.minutes(1)))
    func dropping() async throws {
        let flow = numbers(Array(0..<1000)).through(Times(), busy: .dropNewest)
        let values = try await flow.values()
        let report = try await flow.report()
        #expect(report.isSuccess)
        #expect(report.violations == [])
        let edge = try #require(report.ledger.edges.first)
        #expect(edge.offered == 1000)
        #expect(Int64(values.count) == edge.taken)
    }

    @Test("Flows: a node of a configured plan can be used as a flow")
    func configured() async throws {
        var plan = Plan.building()
        plan.add("in", source: FramesSource<TestNumber>([]))
        plan.add("twice", stage: Times())
        let graph = Pipeline.Graph(try plan.replacing("in", with: numbers([1, 2])))
        let flow = try graph.flow(of: "twice", as: TestNumber.self).through(Times())
        #expect(try await flow.values() == [4, 8])
        #expect(throws: PipelineError.self) { try graph.flow(of: "nobody", as: TestNumber.self) }
        #expect(throws: PipelineError.self) { try graph.flow(of: "twice", as: FailedFrame.self) }
    }

    @Test("Flows: an error in a graph is thrown once, when a flow is read")
    func mistakes() async throws {
        let (one, other) = (Pipeline.Graph(), Pipeline.Graph())
        let crossed = one.merge(one.source(numbers([1])), other.source(numbers([2])))
        var iterator = crossed.makeAsyncIterator()
        await #expect { _ = try await iterator.next() } throws: { ($0 as? PipelineError)?.code == "graph.two_graphs" }
        #expect(try await iterator.next() == nil)

        let flow = numbers([1]).through(Times())
        #expect(try await flow.values() == [2])
        #expect(throws: PipelineError.self) { try flow.through(Times()).results() }
    }

    @Test(
        "Flows: an edge with values that no edge can have is an error that names the edge, the value and its range",
        arguments: [
            (EdgePolicy(capacity: 0), "capacity is 0, but must be from 1 to 1000000"),
            (EdgePolicy(capacity: -1, onFull: .dropOldest), "capacity is -1, but must be from 1 to 1000000"),
            (EdgePolicy(capacity: 1_000_001), "capacity is 1000001, but must be from 1 to 1000000"),
            (EdgePolicy(inFlight: 0), "inFlight is 0, but must be from 1 to 1000000"),
            (EdgePolicy(capacity: -1, inFlight: 1), "capacity is -1, but must be from 0 to 1000000"),
            (EdgePolicy(capacityMs: 0), "capacityMs is 0.0, but must be from 0.001 to 1000000000000"),
            (EdgePolicy(inFlight: 1, timeoutMs: .nan), "timeoutMs is nan, but must be from 0.001 to 1000000000"),
            (EdgePolicy(idleTimeoutMs: .nan), "idleTimeoutMs is nan, but must be from 0.001 to 1000000000"),
        ])
    func wrongPolicy(policy: EdgePolicy, fault: String) {
        for busy in [Busy.wait, .policy(policy)] {
            let flow = numbers([1]).through(Times(factor: 1), busy: busy)
                .through(Times(), id: "last", edge: busy == .wait ? policy : nil)
            let error = #expect(throws: PipelineError.self) { try flow.results() }
            #expect(error?.code == "graph.edge_policy")
            #expect(error?.message == "the edge \(busy == .wait ? "Times → last" : "source → Times"): \(fault)")
        }
    }

    @Test("Flows: with frames in flight, an edge needs no capacity")
    func noCapacity() throws {
        let policy = EdgePolicy(capacity: 0, onFull: .dropNewest, inFlight: 1)
        let plan = try Pipeline.Graph().source(numbers([1]), busy: .policy(policy)).through(Times()).graph.plan()
        #expect(plan.nodes[1].edges[0].policy == policy)
    }

    @Test("Flows: a tolerance that is no number is an error", arguments: [Double.nan, -1, 1e10])
    func wrongTolerance(tolerance: Double) {
        let graph = Pipeline.Graph()
        let (a, b) = (graph.source(numbers([1])), graph.source(numbers([2])))
        let total = Total(alignment: Alignment(.approximate, toleranceMs: tolerance))
        let error = #expect(throws: PipelineError.self) { try graph.combine(a, b, with: total).results() }
        #expect(error?.code == "graph.alignment")
    }

    @Test("Flows: an id that could be the name of an error output is an error")
    func reservedID() {
        let flow = numbers([1, 13]).through(Superstitious(), busy: .wait).through(Times(), id: "Superstitious.errors")
        let error = #expect(throws: PipelineError.self) { try flow.results() }
        #expect(error?.code == "graph.reserved_id")
    }

    @Test("Flows: a source follows the given rules, and payloads belong to the given stream")
    func rulesAndStream() async throws {
        let pen = 0
        let back = zip([3, 1, 4], 0...).map { value, sequence in
            Frame(TestNumber(value), at: .milliseconds(Int64(value)), stream: "pen/\(pen)", sequence: sequence)
        }
        let frames = AsyncStream { continuation in
            for frame in back { continuation.yield(frame) }
            continuation.finish()
        }
        let ordered = Pipeline.Graph().source(frames, rules: SourceRules(onDisorder: .drop)).through(Times())
        #expect(try await ordered.values() == [6, 8])
        let payloads = AsyncStream { continuation in
            continuation.yield(TestNumber(5))
            continuation.finish()
        }
        var streams: [StreamID] = []
        for try await frame in payloads.through(Times(), stream: "pen/0", times: .arrival) {
            streams.append(frame.stream)
        }
        #expect(streams == ["pen/0"] && streams == [back[0].stream])
    }
}
