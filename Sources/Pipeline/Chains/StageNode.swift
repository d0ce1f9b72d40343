extension Stage {
    /// Processes a frame with the stage of a node, and counts the outcome.
    // Always inlined, so that the code becomes part of each stage's witness table and is compiled for the stage's types. Even for a
    // stage that is generic over its input, the compiler then knows the layout of the node.
    @inlinable
    @inline(__always)
    public static func _receive(
        _ payload: borrowing Input, _ header: UnsafePointer<FrameHeader>, at node: UnsafeMutableRawPointer
    ) {
        let state = node.assumingMemoryBound(to: NodeState.self)
        state.pointee.metrics._withUnsafeGuaranteedRef { $0.received.add() }
        if state.pointee.wakeTime < header.pointee.timestamp {
            StageNode(node).fireWakes(before: header.pointee.timestamp)
        }
        let isTimed = state.pointee.flags.pointee.isTiming
        if isTimed, !StageNode(node).beginTiming(header) { return }
        state.pointee.begin(header)
        do {
            try state.pointee.stage.assumingMemoryBound(to: Self.self).pointee.process(
                payload, Header(header), into: Emitter(node.assumingMemoryBound(to: NodeHead<Output>.self)))
        } catch {
            return StageNode(node).fail(error)
        }
        guard state.pointee.marks == .emits, !isTimed else { return StageNode(node).settle() }
        // The fast path: the stage only emitted frames.
        state.pointee.marks = []
        state.pointee.metrics._withUnsafeGuaranteedRef { $0.passed.add() }
    }

    @inlinable
    public static func _wake(_ node: UnsafeMutableRawPointer, at time: Timestamp) throws {
        try node.assumingMemoryBound(to: NodeState.self).pointee.stage.assumingMemoryBound(to: Self.self).pointee.wake(
            at: time, into: Emitter(node.assumingMemoryBound(to: NodeHead<Output>.self)))
    }

    @inlinable
    public static func _finish(_ node: UnsafeMutableRawPointer) throws {
        try node.assumingMemoryBound(to: NodeState.self).pointee.stage.assumingMemoryBound(to: Self.self).pointee
            .finish(into: Emitter(node.assumingMemoryBound(to: NodeHead<Output>.self)))
    }
}

/// One node of an instance: a stage for one stream, at its position in the chain. Contains the code that does not depend on the
/// stage's type.
@usableFromInline
struct StageNode {
    private let memory: UnsafeMutableRawPointer

    @usableFromInline
    init(_ memory: UnsafeMutableRawPointer) { self.memory = memory }

    private var state: UnsafeMutablePointer<NodeState> { memory.assumingMemoryBound(to: NodeState.self) }
    /// The slot of the node's stage.
    // The call object of a node is always a slot: the chain creates both.
    var slot: StageSlot { unsafeDowncast(state.pointee.call, to: StageSlot.self) }
    private var context: SegmentContext { slot.context }
    private var account: NodeAccount { slot.account }

    // MARK: Frames

    /// Starts to time a call. Drops the frame and returns false if a stage of the segment has failed the run.
    @usableFromInline
    @inline(never)
    func beginTiming(_ header: UnsafePointer<FrameHeader>) -> Bool {
        if context.hasFailed {
            account.drop(header.pointee, .cancelled)
            return false
        }
        slot.timing = (context.monitor.clock.now, context.timeBelow)
        context.timeBelow = 0
        return true
    }

    private func endTiming() {
        guard let (began, timeAbove) = slot.timing else { return }
        slot.timing = nil
        let took = context.monitor.clock.now - began
        account.metrics.time.record(took - context.timeBelow)
        context.timeBelow = timeAbove + took
    }

    /// Counts the outcome of a frame.
    @usableFromInline
    @inline(never)
    func settle() {
        let marks = state.pointee.marks
        if marks.contains(.refused) { return fail(refusal()) }
        state.pointee.marks = []
        if marks.contains(.wakes) { context.wakesChanged = true }
        if marks.contains(.emits) {
            account.metrics.passed.add()
        } else if let reason = slot.dropReason {
            state.pointee.header.map { account.drop($0.pointee, reason) }
        } else {
            account.metrics.absorbed.add()
        }
        slot.dropReason = nil
        endTiming()
    }

    /// Counts a frame as failed.
    @usableFromInline
    @inline(never)
    func fail(_ error: any Error) {
        slot.dropReason = nil
        state.pointee.gap.addSaturated(1)
        if let header = state.pointee.header, account.fail(header.pointee, slot.input, error) {
            context.hasFailed = true
        }
        clearMarks()
        endTiming()
    }

    /// Counts a frame that is dropped before the stage sees it, for example because it is late.
    func refuse(_ header: FrameHeader, _ reason: DropReason) {
        account.refuse(header, reason)
        if reason.isLoss { state.pointee.gap.addSaturated(header.gap.addingSaturated(1)) }
    }

    // MARK: Wake-ups and the end

    /// The wake-up that the stage has requested.
    var wakeTime: Timestamp? { state.pointee.wakeTime == .never ? nil : state.pointee.wakeTime }

    /// Fires the wake-ups that are due before an incoming frame.
    @usableFromInline
    @inline(never)
    func fireWakes(before time: Timestamp) {
        while state.pointee.wakeTime < time { wake(at: state.pointee.wakeTime) }
        context.wakesChanged = true
    }

    /// The time that the stage has reached in its stream.
    var time: Timestamp { state.pointee.time }

    /// Wakes the stage, because the stream has passed `wakeTime`.
    func wake(at time: Timestamp) {
        state.pointee.wakeTime = .never
        call(at: max(time, state.pointee.time)) { try type(of: slot.stage)._wake(memory, at: time) }
    }

    /// Ends the stage's stream: the stage emits its remaining output.
    ///
    /// - Parameter bound: The time that the stream has reached. It is later than the stage's last frame if stages upstream have
    ///   dropped frames.
    func finish(at bound: Timestamp) {
        guard !state.pointee.hasFinished else { return }
        state.pointee.hasFinished = true
        state.pointee.wakeTime = .never
        call(at: max(state.pointee.time, bound, .zero)) { try type(of: slot.stage)._finish(memory) }
        state.pointee.wakeTime = .never
    }

    /// Calls the stage without a frame.
    private func call(at time: Timestamp, _ body: () throws -> Void) {
        if context.hasFailed { return }
        state.pointee.begin(at: time)
        let since = slot.causes == nil ? nil : type(of: slot.stage).heldSince(state.pointee.stage)
        do {
            try body()
            if state.pointee.marks.contains(.refused) { throw refusal() }
        } catch {
            let (stream, time, sequence) = (state.pointee.stream, state.pointee.time, state.pointee.sequence)
            if account.failCall(of: stream, at: time, sequence: sequence, error) { context.hasFailed = true }
            slot.dropReason = nil
        }
        if state.pointee.marks.contains(.emits) {
            if let since { state.pointee.noteCause(since) }
        } else if let reason = slot.dropReason {
            // The time of the last frame, to which the number belongs, and not that of this call.
            let (stream, time, sequence) = (state.pointee.stream, state.pointee.previousBound, state.pointee.sequence)
            account.dropAbsorbed(FrameHeader(timestamp: time, stream: stream, sequence: sequence), reason)
        }
        slot.dropReason = nil
        clearMarks()
    }

    /// Clears the marks of a failed frame, or of a call without a frame.
    private func clearMarks() {
        if state.pointee.marks.contains(.wakes) { context.wakesChanged = true }
        state.pointee.marks = []
        slot.refusedStream = nil
    }

    /// Creates the error for an output whose timestamp or stream is not allowed. This is a defect of the stage, and the output was
    /// not emitted.
    private func refusal() -> PipelineError {
        if let stream = slot.refusedStream {
            return PipelineError(
                .defect, "stage.stream", "its output is of the stream \"\(stream)\", not \"\(state.pointee.stream)\"",
                help: "a stage that emits frames for other streams must declare it in renamesStreams")
        }
        let (time, earlier) = (state.pointee.time, slot.earlier)
        let earliest = max(
            state.pointee.previousBound.advanced(byMicroseconds: 1), time.advanced(byMicroseconds: -earlier))
        return PipelineError(
            .defect, "stage.timestamp",
            "the timestamp of its output is \(slot.refused), but must be from \(min(earliest, time)) to \(time)",
            help: "a stage whose output may be earlier than its input must declare by how much in stampsEarlierByUs")
    }
}
