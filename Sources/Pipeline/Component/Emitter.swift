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

    /// Takes a frame, and returns who takes the very same frame next instead of calling it: however long a chain that
    /// passes its frames on, its calls do not nest, and a node is timed without those behind it.
    package func step(_ frame: Frame<Input>) -> Unmanaged<Inlet<Input>>? {
        receive(frame)
        return nil
    }

    /// Takes a frame out of memory, if it keeps frames. Otherwise it has worked on the frame, which stays.
    ///
    /// - Parameter memory: Where a `Frame<Input>` stands; untyped, for to name the type in code that is not specialised is
    ///   to look it up.
    /// - Returns: Whether the memory is now empty.
    package func receive(movingFrom memory: UnsafeMutableRawPointer) -> Bool {
        receive(&memory.assumingMemoryBound(to: Frame<Input>.self).pointee)
        return false
    }

    // A frame in memory is passed on without a copy only by way of an exclusive reference to it.
    @inline(__always)
    private func receive(_ frame: inout Frame<Input>) { receive(frame) }

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

    /// Emits a payload stamped `timestamp`: not after the time being processed, after the time that was processed before it, and
    /// not earlier than ``Stage/stampsEarlierByUs`` allows. A stamp outside that range fails the frame that is being processed.
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
    public func forward() { state.pointee.marks.insert(.forwards) }

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
    public func drop(_ reason: DropReason) {
        state.pointee.dropReason = reason
        state.pointee.marks.insert(.drops)
    }

    /// Tells a person what happened. For lines whose number is limited, not for every frame.
    public func log(_ level: Log.Level, _ line: String) { state.pointee.log(level, line) }

    /// Tells a person something about a matter once in a run, however many copies of the stage there are: for streams, and for the
    /// parts of frames that a chain works on.
    public func logOnce(_ level: Log.Level, about matter: String, _ line: @autoclosure () -> String) {
        if state.pointee.said.insert(matter) { state.pointee.log(level, line()) }
    }

    /// Asks for `wake(at:)` when the stream's time passes `time`; replaces an earlier request. `nil` cancels.
    @inlinable
    public func wake(at time: Timestamp?) {
        state.pointee.wakeTime = time
        state.pointee.marks.insert(.wakes)
    }
}

/// What the engine keeps between a stage's calls, for one stream.
@usableFromInline
package struct EmitterState<Output: Payload> {
    @usableFromInline package var next: Unmanaged<Inlet<Output>>
    @usableFromInline package let stream: StreamID
    @usableFromInline package var time = Timestamp.beforeAll
    /// Output must be stamped after this, unless it is stamped like the last output.
    @usableFromInline package var previousBound = Timestamp.beforeAll
    /// By how many microseconds output may be stamped earlier than what is processed.
    @usableFromInline package let earlier: Int64
    @usableFromInline package var lastOutput = Timestamp.beforeAll
    @usableFromInline package var sequence: Int64 = 0
    @usableFromInline package var origin: Origin?
    @usableFromInline package var arrival: Int64 = 0
    @usableFromInline package var gap: Int32 = 0
    @usableFromInline package var emitted: Int = 0
    /// What of this has been counted.
    package var counted: Int = 0
    /// What the stage did in this call: looked at once, for most do one thing.
    @usableFromInline package var marks: EmitterMarks = []
    @usableFromInline package var dropReason: DropReason?
    @usableFromInline package var wakeTime: Timestamp?
    @usableFromInline package var refused = Timestamp.beforeAll

    @usableFromInline package let log: Log
    /// What copies of the stage have said once for all of them.
    package let said: SaidMatters

    package init(
        next: Inlet<Output>, stream: StreamID, earlier: Int64 = 0, log: Log = .silent, said: SaidMatters = SaidMatters()
    ) {
        self.earlier = earlier
        self.next = .passUnretained(next)
        self.stream = stream
        self.log = log
        self.said = said
    }

    /// Whether a frame may be stamped `timestamp` now; notes it as emitted, or as refused.
    @inlinable
    @inline(__always)
    package mutating func admits(_ timestamp: Timestamp) -> Bool {
        let isInRange =
            timestamp == time
            || timestamp < time && timestamp > previousBound && timestamp >= time.advanced(byMicroseconds: -earlier)
        guard isInRange, timestamp >= lastOutput else {
            refused = timestamp
            marks.insert(.refused)
            return false
        }
        marks.insert(.emits)
        lastOutput = timestamp
        emitted &+= 1
        return true
    }
}

/// What a stage did in one call.
@usableFromInline
package struct EmitterMarks: OptionSet, Sendable {
    @usableFromInline package let rawValue: UInt8

    @inlinable
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The frame being processed goes on when the stage returns.
    @inlinable package static var forwards: EmitterMarks { EmitterMarks(rawValue: 1) }

    /// It emitted a frame.
    @inlinable package static var emits: EmitterMarks { EmitterMarks(rawValue: 2) }

    /// It let the frame go on purpose.
    @inlinable package static var drops: EmitterMarks { EmitterMarks(rawValue: 4) }

    /// It asked for a wake-up, or for none any more.
    @inlinable package static var wakes: EmitterMarks { EmitterMarks(rawValue: 8) }

    /// It stamped a frame outside the range allowed.
    @inlinable package static var refused: EmitterMarks { EmitterMarks(rawValue: 16) }
}
