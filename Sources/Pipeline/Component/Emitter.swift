/// Emits and drops frames for a stage. An emitter is valid during one call of the stage and cannot be stored.
public struct Emitter<Output: Payload>: ~Copyable {
    @usableFromInline
    let node: UnsafeMutablePointer<NodeHead<Output>>

    @inlinable
    @inline(__always)
    init(_ node: UnsafeMutablePointer<NodeHead<Output>>) { self.node = node }

    @inlinable
    var state: UnsafeMutablePointer<NodeState> {
        @inline(__always) get { UnsafeMutableRawPointer(node).assumingMemoryBound(to: NodeState.self) }
    }

    /// Emits a payload. Its timestamp is the time being processed: the timestamp of the input frame, the time of the wake-up or,
    /// at the end of a stream, the time that the stream has reached.
    @inlinable
    @inline(__always)
    public func emit(_ payload: borrowing Output) {
        let header = state.pointee.headerOfOutput()
        node.pointee.next.pass(payload, header)
    }

    /// Emits a payload with its own timestamp.
    ///
    /// The timestamp must be the time being processed, or an earlier time. An earlier time must be after the previously
    /// processed time, and at most ``Stage/stampsEarlierByUs`` before the time being processed. In both cases, the timestamp
    /// must not be before the timestamp of the previous output. Otherwise, the payload is not emitted, and the frame being
    /// processed fails.
    // Not inlined, so that stages that also emit at the current time stay short.
    @inlinable
    @inline(never)
    public func emit(_ payload: borrowing Output, at timestamp: Timestamp) {
        guard state.pointee.noteOutput(at: timestamp) else { return }
        var header = state.pointee.makeHeader(timestamp)
        node.pointee.next.pass(payload, &header)
    }

    /// Emits a payload for another stream. If the stage does not declare ``Stage/renamesStreams``, the payload is not emitted, and
    /// the frame being processed fails.
    @inlinable
    public func emit(_ payload: borrowing Output, stream: StreamID) {
        guard state.pointee.mayEmit(for: stream) else { return }
        state.pointee.noteName(stream)
        state.pointee.note(state.pointee.time)
        var header = state.pointee.makeHeader(state.pointee.time)
        header.stream = stream
        node.pointee.next.pass(payload, &header)
    }

    /// Emits a frame with its own timestamp, stream and sequence number. The timestamp must meet the conditions of
    /// ``emit(_:at:)``, and the stream those of ``emit(_:stream:)``. The frame's ``Frame/gap`` is replaced with the number of frames
    /// that are missing since the stage's last output.
    @inlinable
    public func emit(_ frame: borrowing Frame<Output>) {
        var header = frame.header
        guard state.pointee.mayEmit(for: header.stream), state.pointee.noteOutput(at: header.timestamp) else { return }
        header.gap = state.pointee.takeGap()
        state.pointee.noteName(header.stream)
        node.pointee.next.pass(frame.payload, &header)
    }

    /// Drops the frame being processed on purpose. The drop is counted under `reason`, unless the stage also emitted output for
    /// the frame. At a wake-up or at the end of a stream, the last frame that the stage has absorbed counts as dropped.
    public func drop(_ reason: DropReason) { state.pointee.drop(reason) }

    /// Writes a line to the log. Do not log for every frame.
    public func log(_ level: Log.Level, _ line: String) {
        let account = state.pointee.call.account
        account.tell(.log(level, line, node: account.id))
    }

    /// Logs a message about a subject only once in a run, even if the stage has several instances (for several streams, or for
    /// several parts of a frame).
    public func logOnce(_ level: Log.Level, about subject: String, _ line: @autoclosure () -> String) {
        if state.pointee.call.account.metrics.noteLogged(subject) { log(level, line()) }
    }

    /// Requests a call of `wake(at:)` when the stream's time has passed `time`. The request replaces the previous one; `nil` only
    /// cancels the previous one.
    @inlinable
    public func wake(at time: Timestamp?) {
        state.pointee.wakeTime = time ?? .never
        state.pointee.marks.insert(.wakes)
    }
}
