import Synchronization

/// The task of an asynchronous stage: takes frames from its edges, starts the stage's calls, and emits their results in order.
// Only the stage's own task accesses its state once it runs, except for the answer box. A reload or commit point may do so while
// the run is frozen.
final class AsyncStageTask<S: AsyncStage>: RunTask, @unchecked Sendable {
    private typealias Window = RequestWindow<S.Input, S.Output>

    private typealias Answer = CallAnswer<S.Output>

    /// The maximum number of calls in progress, for all streams together.
    static var maxCalls: Int { 256 }

    let name: String
    let kind = RunTaskKind.segment
    private(set) var stage: S
    private(set) var isOpen: Bool
    let input: TaskInput
    private let next: AnyLink
    private let outlets: [any AnyOutlet]
    private let account: NodeAccount
    private let waker: Waker
    private let watermarks: Watermarks
    private let service: SimulatedWork
    private var window: Window
    private let answers = AnswerBox<S.Output>()
    private var calls: [Int: Task<Void, Never>] = [:]
    /// For each stream, the gap of the next frame to emit.
    private var gaps: StreamGaps
    private var times: StreamTimes
    private var hasFailed = false

    /// - Parameters:
    ///   - isOpen: Whether the stage is already open, because the task will take over another task's stage.
    ///   - mode: The mode of the run. In a live run, each stream keeps only its own order.
    init(
        _ stage: S, isOpen: Bool, _ task: TaskContext, input: TaskInput, route: OutputRoute, mode: Mode
    ) {
        gaps = StreamGaps(maxStreams: task.maxStreams)
        times = StreamTimes(maxStreams: task.maxStreams)
        self.stage = stage
        self.isOpen = isOpen
        name = task.account.id
        self.input = input
        (next, outlets) = (route.next, route.outlets)
        (account, waker) = (task.account, task.waker)
        watermarks = task.watermarks
        service = task.service
        // In a batch run, the output has the same order in every run. In a live run, no stream waits for another one.
        window = Window(perStream: stage.inFlight, keepsStreamsApart: mode == .live)
    }

    /// Takes over the stage and the state of another task of the same stage.
    func adopt(_ other: AsyncStageTask<S>) {
        (stage, isOpen) = (other.stage, other.isOpen)
        (gaps, times) = (other.gaps, other.times)
    }

    private var metrics: NodeMetrics { account.metrics }
    private var monitor: RunMonitor { account.monitor }

    func open() async throws {
        guard !isOpen else { return }
        try await stage.open(
            AsyncStageContext(
                id: name, clock: monitor.clock, stop: monitor.stop, cancel: monitor.cancel,
                log: monitor.log.about(name),
                counts: metrics.counts))
        isOpen = true
    }

    func run() async {
        var batch: [EdgeItem<FrameCell>] = []
        var hasEnded = false
        while !hasFailed, !monitor.isCancelled {
            if let request = input.takeRequest() {
                guard case .flush = request else { return waker.pulse.end() }
                input.flush(into: &batch)
                take(&batch)
            }
            takeAnswers()
            emitSettled()
            begin()
            if outlets.offer() != nil { await outlets.flush(waker, monitor, at: name) }
            if hasFailed || hasEnded && window.isEmpty { break }
            if outlets.allSatisfy(\.isUnused) {
                await refuseAll()
                break
            }
            // Take no more items while a frame waits for its call, so that further frames wait on the edge, where its policy
            // applies, nor while too many results wait for the result of an earlier call.
            if !hasEnded, window.waiting == 0, window.frames < Self.maxCalls {
                switch input.look(into: &batch) {
                case .items:
                    take(&batch)
                    continue
                case .finished:
                    hasEnded = true
                    continue
                case .nothing: break
                }
            }
            if window.begun > 0 {
                // Wait for an answer or a frame: both wake the task. Check for answers first, because their signal may have been
                // consumed while the task waited for room.
                if answers.isEmpty { await waker.wait(for: nil) }
            } else {
                await input.wait()
            }
        }
        // Results of calls that finished before the cancellation are still emitted.
        takeAnswers()
        emitSettled()
        cancelCalls()
        for frame in window.drain() { account.drop(frame.header, .cancelled) }
        input.join.abandon { refuse($0, .cancelled) }
        await outlets.flush(waker, monitor, at: name)
        for outlet in outlets { outlet.finish() }
        waker.pulse.end()
    }

    func close() async {
        guard isOpen else { return }
        isOpen = false
        await stage.close()
    }

    // MARK: Input

    private func take(_ batch: inout [EdgeItem<FrameCell>]) {
        for item in batch {
            switch item {
            case .frame(let cell):
                if input.mayBeLate, times.noteFrame(&cell.header.pointee) {
                    refuse(.frame(cell), .late)
                    continue
                }
                metrics.received.add()
                window.add(.frame(cell.frame(of: S.Input.self).pointee))
                input.recycle(cell)
            case .mark(.inputEnd): break
            case .mark(let mark):
                if case .end(let stream, _) = mark { times.end(stream) }
                window.add(.mark(mark))
            }
        }
        batch.removeAll(keepingCapacity: true)
    }

    private func begin() {
        while window.begun < Self.maxCalls, let (number, frame) = window.begin() {
            calls[number] = Task(executorPreference: monitor.clock.executor) {
                [stage, answers, waker, monitor, service] in
                let began = monitor.clock.now
                let outputs: Result<[S.Output], any Error>
                do {
                    if !service.isZero { await monitor.serve(service) }
                    outputs = .success(try await stage.process(frame))
                } catch {
                    outputs = .failure(error)
                }
                answers.put(Answer(number: number, outputs: outputs, took: monitor.clock.now - began))
                waker.signal()
            }
        }
    }

    private func takeAnswers() {
        for answer in answers.takeAll() {
            calls[answer.number] = nil
            metrics.time.record(answer.took)
            window.end(answer.number, answer.outputs)
        }
    }

    // MARK: Output

    private func emitSettled() {
        while !hasFailed, let settled = window.next() {
            switch settled {
            case .frame(let frame, let outcome):
                settle(frame, outcome)
                outlets.take(.inputEnd)
                if watermarks == .implied { outlets.take(.bound(frame.stream, frame.timestamp)) }
            case .mark(.credit(let credit, let stream)):
                (outlets.filter(\.wantsCredits) as [any MarkTaker]).pass(credit, of: stream)
            case .mark(let mark):
                if case .end(let stream, _) = mark { gaps.take(stream) }
                outlets.take(mark)
            }
        }
    }

    private func settle(_ frame: Frame<S.Input>, _ outcome: Window.Outcome) {
        var missing = gaps.take(frame.stream).addingSaturated(frame.gap)
        switch outcome {
        case .success(let outputs):
            for output in outputs {
                next.carrying(S.Output.self).pass(
                    Frame(
                        output, at: frame.timestamp, stream: frame.stream, sequence: frame.sequence, gap: missing,
                        origin: frame.origin, arrival: frame.arrival))
                missing = 0
            }
            metrics.emitted.add(Int64(outputs.count))
            if outputs.isEmpty { metrics.absorbed.add() } else { metrics.passed.add() }
        case .failure(let refusal as Refusal):
            account.drop(frame.header, refusal.reason)
            if refusal.reason.isLoss { missing.addSaturated(1) }
        case .failure(let error):
            missing.addSaturated(1)
            if account.fail(frame.header, frame.payload, error) { hasFailed = true }
        }
        if missing != 0 { gaps.add(missing, of: frame.stream) }
    }

    private func cancelCalls() {
        for (_, call) in calls.sorted(by: { $0.key < $1.key }) { call.cancel() }
    }

    /// Stops processing because the output is no longer read: cancels all calls, then takes and drops the remaining frames.
    private func refuseAll() async {
        cancelCalls()
        for frame in window.drain() { account.drop(frame.header, .readerGone) }
        input.join.renounce()
        var batch: [EdgeItem<FrameCell>] = []
        while true {
            switch input.look(into: &batch) {
            case .items:
                for item in batch { refuse(item, .readerGone) }
                batch.removeAll(keepingCapacity: true)
            case .nothing: await input.wait()
            case .finished: return
            }
        }
    }

    /// Drops an item that was taken from an edge. If it is a frame, counts the drop.
    private func refuse(_ item: EdgeItem<FrameCell>, _ reason: DropReason) {
        guard case .frame(let cell) = item else { return }
        defer { input.recycle(cell) }
        account.refuse(cell.header.pointee, reason)
    }
}

extension AsyncStageTask {
    func release(_ streams: Set<StreamID>) {
        input.release(streams) { refuse($0, .released) }
        for stream in streams {
            gaps.take(stream)
            times.end(stream)
        }
    }
}

/// The result of a call of an asynchronous stage.
private struct CallAnswer<Output: Payload>: Sendable {
    let number: Int
    let outputs: Result<[Output], any Error>
    let took: Int64
}

/// The results of calls that the stage's task has not handled yet.
private final class AnswerBox<Output: Payload>: Sendable {
    private let answers = Lock<[CallAnswer<Output>]>([])

    var isEmpty: Bool { answers.withLock { $0.isEmpty } }

    func put(_ answer: CallAnswer<Output>) { answers.withLock { $0.append(answer) } }

    func takeAll() -> [CallAnswer<Output>] {
        answers.withLock { answers in
            defer { answers.removeAll(keepingCapacity: true) }
            return answers
        }
    }
}
