/// Where a node's frames go: the next node of the segment, or an edge.
///
/// One virtual call hands a frame over. The chain of inlets is made once, when the graph is built; nothing is boxed or
/// cast while frames flow.
open class Inlet<Input: Payload> {
    @usableFromInline
    package init() {}

    /// Takes a frame.
    @usableFromInline
    package func receive(_ frame: Frame<Input>) {}

    /// Counts a frame that came too late to be taken.
    package func refuse(_ frame: Frame<Input>, _ reason: DropReason) {}
}

/// What a stage gives its results to. It lives for one call of the stage and cannot be stored.
public struct Emitter<Output: Payload>: ~Copyable {
    @usableFromInline
    let state: UnsafeMutablePointer<EmitterState<Output>>

    @inlinable
    @inline(__always)
    package init(_ state: UnsafeMutablePointer<EmitterState<Output>>) { self.state = state }

    /// Emits a payload, stamped with the time being processed: the input frame's, the wake-up's, or at the end the
    /// last bound.
    @inlinable
    public func emit(_ payload: Output) {
        emit(payload, at: state.pointee.time)
    }

    /// Emits a payload stamped `timestamp`, which must lie after the previous bound of the stream and not after the
    /// time being processed. A stamp outside that range fails the frame that is being processed.
    @inlinable
    public func emit(_ payload: Output, at timestamp: Timestamp) {
        guard state.pointee.admits(timestamp) else { return }
        let gap = state.pointee.gap
        state.pointee.gap = 0
        let frame = Frame(
            payload, at: timestamp, stream: state.pointee.stream, sequence: state.pointee.sequence, gap: gap,
            origin: state.pointee.origin, arrival: state.pointee.arrival)
        state.pointee.next._withUnsafeGuaranteedRef { $0.receive(frame) }
    }

    /// Passes on the very frame that is being processed, when the stage has returned: behind all that it emits. The
    /// cheapest way to emit, for stages that make what they take: however long the chain, its calls do not nest.
    ///
    /// A stage that makes something else than it takes has nothing to pass on, and the frame fails.
    @inlinable
    @inline(__always)
    public func forward() { state.pointee.forwards = true }

    /// Passes on a frame as it is, with its own stream and number: the one being processed, changed. For the very frame
    /// ``forward()`` is cheaper.
    // Always inline: in a long chain every call less is a return that the processor predicts.
    @inlinable
    @inline(__always)
    public func forward(_ frame: Frame<Output>) {
        guard state.pointee.admits(frame.timestamp) else { return }
        let gap = state.pointee.gap
        state.pointee.gap = 0
        guard frame.gap == gap else { return forward(frame, gap: gap) }
        state.pointee.next._withUnsafeGuaranteedRef { $0.receive(frame) }
    }

    // Apart, so that the common path never copies a frame.
    @inline(never)
    @usableFromInline
    func forward(_ frame: Frame<Output>, gap: Int32) {
        var frame = frame
        frame.gap = gap
        state.pointee.next._withUnsafeGuaranteedRef { $0.receive(frame) }
    }

    /// Lets the frame being processed go on purpose. Counted under `reason` unless something was emitted for it.
    @inlinable
    public func drop(_ reason: DropReason) { state.pointee.dropReason = reason }

    /// Tells a person what happened. For lines whose number is limited, not for every frame.
    public func log(_ level: Log.Level, _ line: String) { state.pointee.log(level, line) }

    /// Asks for `wake(at:)` when the stream's time passes `time`; replaces an earlier request. `nil` cancels.
    @inlinable
    public func wake(at time: Timestamp?) { state.pointee.wakeTime = time }
}

/// What the engine keeps between a stage's calls, for one stream.
@usableFromInline
package struct EmitterState<Output: Payload> {
    @usableFromInline package var next: Unmanaged<Inlet<Output>>
    @usableFromInline package let stream: StreamID
    @usableFromInline package var time = Timestamp.beforeAll
    /// Output must be stamped after this, unless it is stamped like the last output.
    @usableFromInline package var previousBound = Timestamp.beforeAll
    @usableFromInline package var lastOutput = Timestamp.beforeAll
    @usableFromInline package var sequence: Int64 = 0
    @usableFromInline package var origin: Origin?
    @usableFromInline package var arrival: Int64 = 0
    @usableFromInline package var gap: Int32 = 0
    @usableFromInline package var emitted: Int = 0
    /// Whether the frame being processed goes on when the stage returns.
    @usableFromInline package var forwards = false
    @usableFromInline package var dropReason: DropReason?
    @usableFromInline package var wakeTime: Timestamp?
    @usableFromInline package var refused: Timestamp?

    @usableFromInline package let log: Log

    package init(next: Inlet<Output>, stream: StreamID, log: Log = .silent) {
        self.next = .passUnretained(next)
        self.stream = stream
        self.log = log
    }

    /// Whether a frame may be stamped `timestamp` now; notes it as emitted, or as refused.
    @inlinable
    @inline(__always)
    package mutating func admits(_ timestamp: Timestamp) -> Bool {
        guard timestamp <= time, timestamp > previousBound || timestamp == time, timestamp >= lastOutput else {
            refused = timestamp
            return false
        }
        lastOutput = timestamp
        emitted &+= 1
        return true
    }
}
