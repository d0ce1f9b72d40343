/// Where a stage emits and drops frames. It lives for one call of the stage and cannot be stored.
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

    /// Emits a payload, stamped with the time being processed: the input frame's, the wake-up's, or at the end the
    /// last bound.
    // One place hands the payload over: with two, code that is not specialized copies it first.
    @inlinable
    @inline(__always)
    public func emit(_ payload: consuming Output) {
        let header = state.pointee.headerOfOutput()
        node.pointee.next.pass(payload, header)
    }

    /// Emits a payload stamped `timestamp`: not after the time being processed, after the time that was processed before it, and
    /// not earlier than ``Stage/stampsEarlierByUs`` allows. A stamp outside that range fails the frame that is being processed.
    @inlinable
    @inline(__always)
    public func emit(_ payload: __owned Output, at timestamp: Timestamp) { emitAnew(payload, at: timestamp) }

    /// Emits a payload with a header of its own.
    // Apart, so that the common path is short.
    @inlinable
    @inline(never)
    func emitAnew(_ payload: __owned Output, at timestamp: Timestamp) {
        guard state.pointee.admits(timestamp) else { return }
        var header = state.pointee.makeHeader(timestamp)
        node.pointee.next.pass(payload, &header)
    }

    /// Emits a payload under another stream's name; see ``Stage/renamesStreams``.
    @inlinable
    public func emit(_ payload: __owned Output, stream: StreamID) {
        guard state.pointee.admits(state.pointee.time) else { return }
        var header = state.pointee.makeHeader(state.pointee.time)
        header.stream = stream
        node.pointee.next.pass(payload, &header)
    }

    /// Emits a frame as it is, with its own stream and number.
    @inlinable
    public func emit(_ frame: __owned Frame<Output>) {
        guard state.pointee.admits(frame.timestamp) else { return }
        var header = frame.header
        header.gap = state.pointee.takeGap()
        node.pointee.next.pass(frame.payload, &header)
    }

    /// Drops the frame being processed on purpose. Counted under `reason` unless something was emitted for it.
    public func drop(_ reason: DropReason) { state.pointee.drop(reason) }

    /// Tells a person what happened. For lines whose number is limited, not for every frame.
    public func log(_ level: Log.Level, _ line: String) {
        state.pointee.slot.context.tell(.log(level, line, node: state.pointee.slot.metrics.id))
    }

    /// Logs a message about a matter once in a run, however many instances of the stage there are: for streams, and for the
    /// parts of frames that a chain works on.
    public func logOnce(_ level: Log.Level, about matter: String, _ line: @autoclosure () -> String) {
        if state.pointee.slot.metrics.said.insert(matter) { log(level, line()) }
    }

    /// Asks for `wake(at:)` when the stream's time passes `time`; replaces an earlier request. `nil` cancels.
    @inlinable
    public func wake(at time: Timestamp?) {
        state.pointee.wakeTime = time ?? .never
        state.pointee.marks.insert(.wakes)
    }
}

/// What a stage did in one call.
@usableFromInline
package struct EmitterMarks: OptionSet, Sendable {
    @usableFromInline package let rawValue: UInt8

    @inlinable
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// It emitted a frame.
    @inlinable package static var emits: EmitterMarks { EmitterMarks(rawValue: 1) }

    /// It dropped the frame on purpose.
    @inlinable package static var drops: EmitterMarks { EmitterMarks(rawValue: 2) }

    /// It asked for a wake-up, or for none any more.
    @inlinable package static var wakes: EmitterMarks { EmitterMarks(rawValue: 4) }

    /// It stamped a frame outside the range allowed.
    @inlinable package static var refused: EmitterMarks { EmitterMarks(rawValue: 8) }
}
