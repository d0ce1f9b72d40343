import PipelineTesting

@testable import Pipeline

/// A stage that does the work of a ``NumberWorker``.
struct WorkStage: Stage {
    private var worker: NumberWorker
    private var last = Timestamp.beforeAll
    /// The number at which it fails.
    private let failsOn: Int?

    init(_ work: Work, failsOn: Int? = nil) {
        worker = NumberWorker(work)
        self.failsOn = failsOn
    }

    var isStateless: Bool {
        switch worker.work {
        case .pass, .add, .filter, .copies, .spread, .fail, .rename: true
        case .hold, .rest, .sum, .early, .each: false
        }
    }
    var renamesStreams: Bool { if case .rename = worker.work { true } else { false } }
    var stampsEarlierByUs: Int64 { if case .early(let time) = worker.work { time } else { 0 } }

    mutating func process(
        _ payload: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) throws {
        if payload.value == failsOn { throw PipelineError.frame("work.broken", "it broke") }
        if case .rename(let name, let keeps) = worker.work {
            let isKept = header.stream.name.hasPrefix(keeps)
            return emitter.emit(payload, stream: isKept ? header.stream : StreamID(name))
        }
        let after = last
        last = header.timestamp
        switch worker.take(payload.value) {
        case .numbers(let numbers):
            for number in numbers {
                let first = after.advanced(byMicroseconds: 1)
                let time = max(min(first, header.timestamp), header.timestamp.advanced(byMicroseconds: -number.earlier))
                emitter.emit(TestNumber(number.value), at: time)
            }
        case .forward: emitter.emit(payload)
        case .drop: emitter.drop("filtered")
        case .failure: throw PipelineError.frame("work.failed", "it did not work")
        }
        if case .rest(let time) = worker.work { emitter.wake(at: header.timestamp.advanced(byMicroseconds: time)) }
    }

    mutating func wake(at time: Timestamp, into emitter: borrowing Emitter<TestNumber>) { finish(into: emitter) }

    mutating func finish(into emitter: borrowing Emitter<TestNumber>) {
        for value in worker.end() { emitter.emit(TestNumber(value)) }
    }
}

/// A stage that runs a nested chain on the parts of a number.
struct PartsStage: NestingStage {
    let chain: NestedChain
    private var host: ChainHost?
    private var chains: ElementChains<TestNumber, TestNumber>?

    init(_ works: [Work]) {
        var stages = StageChain(WorkStage(works.first ?? .pass))
        for work in works.dropFirst() { stages = stages.through(WorkStage(work)) }
        chain = NestedChain(stages)
    }

    mutating func connect(_ host: ChainHost) { self.host = host }

    mutating func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) throws {
        guard let host else { throw PipelineError(.defect, "parts.not_connected", "nothing was connected") }
        let chains = chains ?? ElementChains(host, chain, stream: header.stream, limit: 10)
        self.chains = chains
        var results: [(key: Int, value: Int)] = []
        for part in NumberWorker.parts(of: number.value) {
            let outcome = try chains.run(TestNumber(part.value), of: part.key, in: header)
            if let output = outcome.output { results.append((part.key, output.value)) }
        }
        emitter.emit(TestNumber(NumberWorker.whole(results)))
    }

    mutating func finish(into emitter: borrowing Emitter<TestNumber>) throws {
        var results: [(key: Int, value: Int)] = []
        try chains?.end(unusedSince: nil) { results.append(($0, $1.value)) }
        if !results.isEmpty { emitter.emit(TestNumber(NumberWorker.whole(results))) }
    }
}

/// An asynchronous stage that does the work of a ``NumberWorker`` without memory. Some calls take longer than others.
struct WorkService: AsyncStage {
    let work: Work
    let inFlight: Int
    /// The number at which it fails.
    private let failsOn: Int?
    private var clock: (any RunClock)?

    init(_ work: Work, inFlight: Int, failsOn: Int? = nil) {
        (self.work, self.inFlight, self.failsOn) = (work, inFlight, failsOn)
    }

    mutating func open(_ context: AsyncStageContext) async throws { clock = context.clock }

    func process(_ frame: Frame<TestNumber>) async throws -> [TestNumber] {
        for _ in 0..<frame.payload.value % 5 { await Task.yield() }
        // In virtual time, this does not slow down the test.
        if let clock, clock.executor != nil {
            try await clock.sleep(until: clock.now + Int64(frame.payload.value % 7) * 1000)
        }
        if frame.payload.value == failsOn { throw PipelineError.frame("work.broken", "it broke") }
        var worker = NumberWorker(work)
        switch worker.take(frame.payload.value) {
        case .numbers(let numbers): return numbers.map { TestNumber($0.value) }
        case .forward: return [frame.payload]
        case .drop: throw Refusal("filtered")
        case .failure: throw PipelineError.frame("work.failed", "it did not work")
        }
    }
}

/// Computes one number from each set.
struct JoinStage: AlignedStage {
    typealias Element = TestNumber

    let alignment: Alignment

    static func number(of values: [Int?]) -> Int { values.reduce(3) { NumberWorker.mix($0, $1 ?? 5) } }

    mutating func process(
        _ set: Aligned<TestNumber>, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) {
        emitter.emit(TestNumber(Self.number(of: set.values.map { $0?.value })))
    }
}
