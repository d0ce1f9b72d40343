/// One stage, for one stream, in its place in a segment.
///
/// Takes a frame by a virtual call, lets the stage work on it, and counts how the frame ended. The stage and its
/// emitter's state stand behind pointers: a stored stage would cost an exclusivity check at every call.
final class StageNode<S: Stage>: Inlet<S.Input>, ChainNode {
    private let stage: UnsafeMutablePointer<S>
    private let state: UnsafeMutablePointer<EmitterState<S.Output>>
    private let next: Inlet<S.Output>
    /// The same, if it takes what the stage takes: where the stage's own input can be passed on.
    private let same: Unmanaged<Inlet<S.Input>>?
    private let errors: Inlet<FailedFrame>?
    private let metrics: NodeMetrics
    private let policy: ErrorPolicy
    private let isNested: Bool
    private let context: SegmentContext
    private var hasFinished = false

    init(
        _ prototype: S, stream: StreamID, next: Inlet<S.Output>, errors: Inlet<FailedFrame>?, metrics: NodeMetrics,
        policy: ErrorPolicy, isNested: Bool = false, context: SegmentContext
    ) {
        stage = .allocate(capacity: 1)
        stage.initialize(to: prototype)
        state = .allocate(capacity: 1)
        state.initialize(
            to: EmitterState(
                next: next, stream: stream, earlier: max(0, prototype.stampsEarlierByUs), log: context.monitor.log,
                said: metrics.said))
        self.next = next
        same = (next as AnyObject as? Inlet<S.Input>).map { .passUnretained($0) }
        self.errors = errors
        self.metrics = metrics
        self.policy = policy
        self.isNested = isNested
        self.context = context
        super.init()
    }

    deinit {
        stage.deinitialize(count: 1)
        stage.deallocate()
        state.deinitialize(count: 1)
        state.deallocate()
    }

    override func receive(_ frame: Frame<S.Input>) {
        var next = step(frame)
        while let node = next { next = node._withUnsafeGuaranteedRef { $0.step(frame) } }
        if context.isTiming { context.lastReading = 0 }
    }

    override func step(_ frame: Frame<S.Input>) -> Unmanaged<Inlet<S.Input>>? {
        metrics.received.add()
        if context.isTiming { return stepTimed(frame) }
        return process(frame)
    }

    @inline(never)
    private func stepTimed(_ frame: Frame<S.Input>) -> Unmanaged<Inlet<S.Input>>? {
        let clock = context.monitor.clock
        let timeAbove = context.timeBelow
        context.timeBelow = 0
        let began = context.lastReading > 0 ? context.lastReading : clock.now
        context.lastReading = 0
        let next = process(frame)
        let ended = clock.now
        let took = ended - began
        metrics.time.record(took - context.timeBelow)
        context.timeBelow = timeAbove + took
        context.lastReading = next == nil ? 0 : ended
        return next
    }

    @inline(__always)
    private func process(_ frame: Frame<S.Input>) -> Unmanaged<Inlet<S.Input>>? {
        let state = state
        let time = frame.header.timestamp
        if let wake = state.pointee.wakeTime, wake < time { fireWakes(before: time) }
        state.pointee.previousBound = state.pointee.time
        state.pointee.time = time
        state.pointee.sequence = frame.header.sequence
        state.pointee.arrival = frame.header.arrival
        state.pointee.gap &+= frame.header.gap
        if frame.origin != nil || state.pointee.origin != nil { state.pointee.origin = frame.origin }
        do {
            try stage.pointee.process(frame, into: Emitter(state))
        } catch {
            failed(frame, error)
            return nil
        }
        guard state.pointee.marks == .forwards, state.pointee.gap == frame.header.gap, let same else {
            return settle(frame)
        }
        // Nothing but passed on, as it came: what most frames of a chain do.
        state.pointee.marks = []
        state.pointee.gap = 0
        state.pointee.lastOutput = time
        metrics.passed.add()
        metrics.emitted.add()
        return same
    }

    // What is rarer stands apart: the common path then neither copies a frame nor looks up its type.
    @inline(never)
    private func settle(_ frame: Frame<S.Input>) -> Unmanaged<Inlet<S.Input>>? {
        let marks = state.pointee.marks
        state.pointee.marks = []
        if marks.contains(.wakes) { context.wakesChanged = true }
        if marks.contains(.refused) {
            failed(frame, refusal())
            return nil
        }
        if marks.contains(.forwards) { return forward(frame) }
        if countEmitted() > 0 {
            metrics.passed.add()
            state.pointee.dropReason = nil
        } else if let reason = state.pointee.dropReason {
            state.pointee.dropReason = nil
            metrics.dropped.add(reason)
            noteDrop(frame, reason)
        } else {
            metrics.absorbed.add()
        }
        return nil
    }

    /// Passes on the frame itself, behind what was emitted.
    private func forward(_ frame: Frame<S.Input>) -> Unmanaged<Inlet<S.Input>>? {
        guard let same else {
            let error = PipelineError(
                .defect, "stage.forward", "it forwarded a \(S.Input.kind), but makes a \(S.Output.kind)")
            failed(frame, error)
            return nil
        }
        state.pointee.lastOutput = frame.header.timestamp
        state.pointee.emitted &+= 1
        state.pointee.dropReason = nil
        countEmitted()
        metrics.passed.add()
        let gap = state.pointee.gap
        state.pointee.gap = 0
        if gap == frame.header.gap { return same }
        var frame = frame
        frame.gap = gap
        same._withUnsafeGuaranteedRef { $0.receive(frame) }
        return nil
    }

    @inline(never)
    private func failed(_ frame: Frame<S.Input>, _ error: any Error) {
        countEmitted()
        state.pointee.dropReason = nil
        metrics.failed.add()
        state.pointee.gap &+= 1
        report(error, frame: frame)
        clearMarks()
    }

    /// Counts a frame that comes too late to be processed.
    override func refuse(_ frame: Frame<S.Input>, _ reason: DropReason) {
        metrics.received.add()
        metrics.dropped.add(reason)
        if reason.isLoss { state.pointee.gap &+= 1 + frame.gap }
        noteDrop(frame, reason)
    }

    /// Fires what is due before a frame that comes.
    @inline(never)
    private func fireWakes(before time: Timestamp) {
        while let wake = state.pointee.wakeTime, wake < time { self.wake(at: wake) }
        context.wakesChanged = true
    }

    var time: Timestamp { state.pointee.time }

    var wakeTime: Timestamp? { state.pointee.wakeTime }

    func wake(at time: Timestamp) {
        state.pointee.wakeTime = nil
        begin(at: max(time, state.pointee.time))
        do {
            try stage.pointee.wake(at: time, into: Emitter(state))
            try checkStamps()
        } catch {
            report(error, frame: nil)
        }
        countEmitted()
        state.pointee.dropReason = nil
        clearMarks()
    }

    func finish(at bound: Timestamp) {
        guard !hasFinished else { return }
        hasFinished = true
        state.pointee.wakeTime = nil
        begin(at: max(state.pointee.time, bound, .zero))
        do {
            try stage.pointee.finish(into: Emitter(state))
            try checkStamps()
        } catch {
            report(error, frame: nil)
        }
        countEmitted()
        state.pointee.wakeTime = nil
    }

    private func begin(at time: Timestamp) {
        state.pointee.previousBound = state.pointee.time
        state.pointee.time = time
    }

    @discardableResult
    private func countEmitted() -> Int {
        let count = state.pointee.emitted &- state.pointee.counted
        state.pointee.counted = state.pointee.emitted
        if count != 0 { metrics.emitted.add(Int64(count)) }
        return count
    }

    /// Ends a call of the stage in which there was no frame to pass on.
    private func clearMarks() {
        if state.pointee.marks.contains(.wakes) { context.wakesChanged = true }
        state.pointee.marks = []
    }

    private func checkStamps() throws {
        if state.pointee.marks.contains(.refused) { throw refusal() }
    }

    /// A stamp outside the allowed range is the stage's defect: its frame did not go out.
    private func refusal() -> PipelineError {
        let earliest = max(
            state.pointee.previousBound.advanced(byMicroseconds: 1),
            state.pointee.time.advanced(byMicroseconds: -state.pointee.earlier))
        return PipelineError(
            .defect, "stage.timestamp",
            "it stamped its output \(state.pointee.refused), which is not from \(min(earliest, state.pointee.time)) to \(state.pointee.time)",
            help: "a stage that stamps its output earlier than its input says by how much with stampsEarlierByUs")
    }

    private func noteDrop(_ frame: Frame<S.Input>, _ reason: DropReason) {
        context.monitor.noteDrop(frame.header, at: metrics.id, reason)
    }

    private func report(_ error: any Error, frame: Frame<S.Input>?) {
        var error = PipelineError(wrapping: error)
        if error.location == nil, let frame {
            error.location = frame.place
        }
        if !isNested { context.monitor.onFailure?(state.pointee.stream, frame?.timestamp ?? state.pointee.time, error) }
        let failed = Frame(
            FailedFrame(node: metrics.id, error: error, frame: frame?.payload),
            at: frame?.timestamp ?? state.pointee.time, stream: state.pointee.stream,
            sequence: state.pointee.sequence, origin: frame?.origin)
        if policy.settle(failed, count: metrics.failed.value, context.monitor, errors) { context.hasFailed = true }
    }
}

extension Frame {
    /// Where the frame stands, in words: `stream pen/1, frame 12 at 0.250000 s`.
    var place: String {
        let name = stream.name.isEmpty ? "" : "stream \(stream.name), "
        let file = origin?.file.map { ", file \($0)" } ?? ""
        return "\(name)frame \(sequence) at \(timestamp)\(file)"
    }
}

extension PipelineError {
    /// The error itself, or one that wraps what a component threw of another type.
    package init(wrapping error: any Error) {
        self = error as? PipelineError ?? .frame("component.error", String(describing: error))
    }
}
