import Synchronization

@testable import Pipeline

/// Runs one stage on one stream as a run does: a wake-up that is due before a frame happens before the stage gets the frame.
final class StageBench<S: Stage> {
    private final class Collector: ReceivingObject {
        typealias Received = S.Output

        var frames: [Frame<S.Output>] = []

        func receive(_ payload: borrowing S.Output, _ header: UnsafePointer<FrameHeader>) {
            frames.append(Frame(copy payload, header.pointee))
        }
    }

    private let collector = Collector()
    private let chain: BareChain<S.Input>

    init(_ stage: S, stream: StreamID = "", log: Log = .silent) {
        chain = BareChain([stage], end: collector, stream: stream, log: log)
    }

    /// The complete output.
    var output: [Frame<S.Output>] { collector.frames }

    /// The reasons of dropped frames, in order.
    var drops: [String] { chain.drops }

    /// The timestamp of the first frame that the stage holds.
    var heldSince: Timestamp? { chain.heldSince }

    /// Advances the stream's time to `time`.
    func advance(to time: Timestamp) throws { try chain.advance(to: time) }

    func send(_ payload: S.Input, at time: Timestamp, gap: Int32 = 0, sequence: Int64 = 0) throws {
        try advance(to: time)
        chain.receive(Frame(payload, at: time, stream: chain.stream, sequence: sequence, gap: gap))
        try chain.check()
    }

    func finish() throws { try chain.finish() }
}

/// Consecutive stages for one stream, outside of a run.
final class BareChain<Input: Payload> {
    private final class Failures: ReceivingObject {
        typealias Received = FailedFrame

        var last: PipelineError?

        func receive(_ payload: borrowing FailedFrame, _ header: UnsafePointer<FrameHeader>) { last = payload.error }
    }

    let stream: StreamID
    private let failures = Failures()
    private let dropLog = DropReasons()
    private let chain: Chain?
    private let memory: UnsafeMutableRawPointer?

    init(_ stages: [any Stage], end: some ReceivingObject, stream: StreamID = "", log: Log = .silent) {
        self.stream = stream
        var options = Run.Options()
        options.log = log
        options.onDrop = { [dropLog] in dropLog.add($0.reason) }
        let monitor = RunMonitor(options)
        let context = SegmentContext(monitor: monitor)
        let slots = stages.map { [failures] in
            StageSlot(
                $0,
                NodeAccount(
                    metrics: NodeMetrics(id: "bench"), policy: .route, monitor: monitor, errors: ErrorEnd(failures),
                    isNested: true), context: context)
        }
        chain = try? Chain(slots, taking: Input.self, end: end)
        memory = chain?.make(for: stream)
    }

    deinit { if let memory { chain?.free(memory) } }

    /// The reasons of dropped frames, in order.
    var drops: [String] { dropLog.reasons }

    /// The timestamp of the first frame that a stage holds.
    var heldSince: Timestamp? { memory.flatMap { chain?.heldSince($0) } }

    /// The last error of a stage.
    var error: PipelineError? { failures.last }

    func receive(_ frame: Frame<Input>) {
        guard let chain, let memory else { return }
        chain.head(of: memory).carrying(Input.self).pass(frame)
    }

    func advance(to time: Timestamp) throws {
        guard let chain, let memory else { return }
        while let (wake, node) = chain.nextWake(of: memory), wake < time { node.wake(at: wake) }
        try check()
    }

    func finish() throws {
        guard let chain, let memory else { return }
        chain.finish(memory, at: .beforeAll)
        try check()
    }

    /// Throws the last error of a stage that was not thrown yet, if there is one.
    func check() throws {
        guard let error = failures.last else { return }
        failures.last = nil
        throw error
    }
}

/// The reasons of dropped frames.
private final class DropReasons: Sendable {
    private let list = Lock<[String]>([])

    var reasons: [String] { list.withLock { $0 } }

    func add(_ reason: DropReason) { list.withLock { $0.append(reason.rawValue) } }
}
