import PipelineTesting
import Testing

@testable import Pipeline

/// Emits the running sum of its input, and cannot process numbers below zero.
private struct Summing: Stage {
    private var sum = 0.0

    mutating func process(
        _ payload: Number, _ header: borrowing Header, into emitter: borrowing Emitter<Number>
    ) throws {
        guard payload.value >= 0 else { throw PipelineError.frame("sum.negative", "a number is negative") }
        sum += payload.value
        emitter.emit(Number(value: sum))
    }
}

/// Drops numbers with a fraction of a half, and absorbs those with a quarter.
private struct Whole: Stage {
    mutating func process(
        _ number: Number, _ header: borrowing Header, into emitter: borrowing Emitter<Number>
    ) {
        let rest = number.value - number.value.rounded(.down)
        if rest == 0.5 { return emitter.drop("half") }
        if rest != 0.25 { emitter.emit(number) }
    }
}

/// Emits each number, its negative as many microseconds later as the number says, and 100 times the last number at the end.
private struct Echo: Stage {
    private var last: Number?

    mutating func process(
        _ number: Number, _ header: borrowing Header, into emitter: borrowing Emitter<Number>
    ) {
        last = number
        emitter.wake(at: header.timestamp.advanced(byMicroseconds: Int64(number.value)))
        emitter.emit(number)
    }

    mutating func wake(at time: Timestamp, into emitter: borrowing Emitter<Number>) {
        if let last { emitter.emit(Number(value: -last.value)) }
    }

    mutating func finish(into emitter: borrowing Emitter<Number>) {
        if let last { emitter.emit(Number(value: last.value * 100)) }
    }
}

@Suite("A chain inside a stage")
struct NestedChainTests {
    private func run(
        _ stage: Every, _ values: [[Double]], every step: Int64 = 10, onError: ErrorPolicy = .fail
    ) async -> (frames: [Frame<Numbers>], report: RunReport, drops: [DropRecord]) {
        let (out, drops) = (Collector<Numbers>(), DropLog())
        var plan = Plan.building()
        plan.add(
            "in",
            source: FramesSource(
                values.enumerated().map { Frame(Numbers(values: $1), at: .microseconds(Int64($0) * step), stream: "s") }
            ))
        plan.add("every", stage: stage, onError: onError)
        plan.add("out", sink: out.sink())
        var options = Run.Options()
        options.onDrop = { drops.add($0) }
        let report = await Run(plan, options: options).finished()
        return (out.frames, report, drops.records)
    }

    private func node(_ id: String, _ report: RunReport) throws -> Ledger.Node {
        try #require(report.ledger.nodes.first { $0.id == id })
    }

    @Test("Chains inside a stage: each identity has its own instance, and every frame gives one result")
    func copies() async {
        let result = await run(Every(Summing()), [[1, 2], [2], [], [1, 2]])
        #expect(result.frames.map(\.payload.values) == [[1, 2], [4], [], [2, 6]])
        #expect(result.frames.map(\.timestamp.rawValue) == [0, 10, 20, 30])
        #expect(result.report.isSuccess)
    }

    @Test(
        "Chains inside a stage: an instance unused for long starts over, and beyond the limit the one unused longest is evicted"
    )
    func forgetting() async {
        let late = await run(Every(Summing()), [[1, 2], [2], [1, 2]], every: 60)
        #expect(late.frames.map(\.payload.values) == [[1, 2], [4], [1, 6]])
        // There is room for three instances: 4 evicts 1, and 1 evicts 2 when it returns.
        let many = await run(Every(Summing()), [[1], [2], [3], [4], [3], [1], [3, 2]])
        #expect(many.frames.map(\.payload.values) == [[1], [2], [3], [4], [6], [1], [9, 2]])
    }

    @Test(
        "Chains inside a stage: the ledger counts parts of frames at nested stages, and a dropped part drops no frame")
    func accounting() async throws {
        let chain = StageChain(Whole()).through(Summing())
        let result = await run(Every(chain: NestedChain(chain)), [[1, 1.5, 2.25], [2.5], [], [3]])
        #expect(result.report.violations == [])
        let every = try node("every", result.report)
        #expect((every.received, every.passed, every.dropped) == (4, 4, [:]))
        let whole = try node("every.Whole", result.report)
        #expect((whole.received, whole.passed, whole.absorbed, whole.dropped) == (5, 2, 1, ["half": 2]))
        #expect(whole.parent == "every")
        #expect(try node("every.Summing", result.report).received == 2)
        #expect(result.drops.map(\.place) == ["every.Whole", "every.Whole"])
        #expect(result.report.ledger.losses == 0)
        #expect(result.frames.count == 4)
    }

    @Test("Chains inside a stage: a part that a stage refuses fails the frame, and all instances start over")
    func failure() async throws {
        let result = await run(Every(Summing()), [[1, 2], [1, -2, 2], [1, 2]], onError: .skip)
        #expect(result.frames.map(\.payload.values) == [[1, 2], [1, 2]])
        #expect(result.frames.map(\.gap) == [0, 1])
        #expect(result.report.isSuccess && result.report.violations == [])
        #expect(try node("every", result.report).failed == 1)
        #expect(try node("every.Summing", result.report).failed == 1)
        #expect(result.report.ledger.losses == 1)
        let fatal = await run(Every(Summing()), [[1, -2]])
        #expect(fatal.report.failures.map(\.node) == ["every"])
        #expect(fatal.report.failures.first?.error.code == "sum.negative")
        #expect(fatal.report.failures.first?.error.message == "every.Summing: a number is negative")
    }

    @Test(
        "Chains inside a stage: each instance is woken at its own time between frames, and emits what it holds at the end"
    )
    func waking() async {
        let result = await run(Every(Echo()), [[1, 5], [], [5], [30]])
        let wanted: [(Int64, [Double])] = [
            (0, [1, 5]), (1, [-1]), (5, [-5]), (10, []), (20, [5]), (25, [-5]), (30, [30]), (30, [100, 500, 3000]),
        ]
        #expect(result.frames.map(\.timestamp.rawValue) == wanted.map(\.0))
        #expect(result.frames.map(\.payload.values) == wanted.map(\.1))
        #expect(result.report.isSuccess)
    }

    @Test("Chains inside a stage: the ledger reports a violation if the counts of a nested chain do not balance")
    func violation() {
        var first = Ledger.Node(NodeMetrics(id: "every.a"), component: "a", role: .stage)
        (first.received, first.passed, first.emitted, first.parent) = (3, 3, 2, "every")
        var ledger = Ledger(nodes: [first], edges: [])
        ledger.chains = [.init(node: "every", stages: ["every.a"], given: 4, taken: 1)]
        #expect(
            ledger.violations(isClean: true) == [
                "every.a: 4 from every, but 3 in", "every.a: 2 out, but 1 taken by every",
            ])
        #expect(ledger.violations(isClean: true, open: ["every"]) == [])
    }
}
