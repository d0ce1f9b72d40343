/// What the engine keeps of a stage's node between its calls, for one stream.
@usableFromInline
package struct NodeState {
    /// The stage itself.
    @usableFromInline let stage: UnsafeMutableRawPointer
    @usableFromInline let metrics: Unmanaged<NodeMetrics>
    @usableFromInline let flags: UnsafeMutablePointer<SegmentFlags>
    /// The chain holds it as long as there are nodes of it.
    unowned(unsafe) let slot: StageSlot
    let stream: StreamID

    /// The header of the frame being processed; only while it is.
    @usableFromInline var header: UnsafePointer<FrameHeader>?
    @usableFromInline var time = Timestamp.beforeAll
    /// Output must be stamped after this, unless it is stamped like the last output.
    @usableFromInline var previousBound = Timestamp.beforeAll
    @usableFromInline var lastOutput = Timestamp.beforeAll
    /// When the stage wants to be woken.
    @usableFromInline var wakeTime = Timestamp.never
    @usableFromInline var sequence: Int64 = 0
    @usableFromInline var arrival: Int64 = 0
    @usableFromInline var origin: Origin?
    /// How many frames went missing since the last that went out.
    @usableFromInline var gap: Int32 = 0
    /// What the stage did in this call: looked at once, for most do one thing.
    @usableFromInline var marks: EmitterMarks = []
    var hasFinished = false
    /// What the stage emitted in this call.
    @usableFromInline var emitted: Int64 = 0
    /// The header of what is emitted, where that of the frame being processed does not serve.
    private var own = FrameHeader(timestamp: .zero, stream: "", sequence: 0, gap: 0, arrival: 0, origin: nil)

    init(_ slot: StageSlot, stage: UnsafeMutableRawPointer, stream: StreamID) {
        self.slot = slot
        self.stage = stage
        self.stream = stream
        metrics = .passUnretained(slot.metrics)
        flags = slot.context.flags
    }

    /// Begins a call of the stage for a frame.
    @inlinable
    @inline(__always)
    mutating func begin(_ header: UnsafePointer<FrameHeader>) {
        self.header = header
        previousBound = time
        time = header.pointee.timestamp
        sequence = header.pointee.sequence
        arrival = header.pointee.arrival
        gap &+= header.pointee.gap
        if header.pointee.origin != nil || origin != nil { origin = header.pointee.origin }
    }

    /// Begins a call of the stage without a frame.
    mutating func begin(at time: Timestamp) {
        header = nil
        previousBound = self.time
        self.time = time
    }

    /// Whether a frame may be stamped `timestamp` now; notes it as emitted, or as refused.
    @usableFromInline
    mutating func admits(_ timestamp: Timestamp) -> Bool {
        let isInRange =
            timestamp == time
            || timestamp < time && timestamp > previousBound
                && timestamp >= time.advanced(byMicroseconds: -slot.earlier)
        guard isInRange, timestamp >= lastOutput else {
            slot.refused = timestamp
            marks.insert(.refused)
            return false
        }
        note(timestamp)
        return true
    }

    /// Notes a frame as emitted.
    @inlinable
    @inline(__always)
    mutating func note(_ timestamp: Timestamp) {
        marks.insert(.emits)
        lastOutput = timestamp
        emitted &+= 1
    }

    /// Notes a frame as emitted now, and returns its header: that of the frame being processed, as long as both say the same.
    @inlinable
    @inline(__always)
    mutating func headerOfOutput() -> UnsafePointer<FrameHeader> {
        note(time)
        guard let header, gap == header.pointee.gap else { return headerOfOwn() }
        gap = 0
        return header
    }

    // Nodes do not move in memory.
    @usableFromInline
    @inline(never)
    mutating func headerOfOwn() -> UnsafePointer<FrameHeader> {
        own = makeHeader(time)
        return withUnsafePointer(to: &own) { $0 }
    }

    /// The header of a frame that is emitted now.
    @usableFromInline
    mutating func makeHeader(_ timestamp: Timestamp) -> FrameHeader {
        FrameHeader(
            timestamp: timestamp, stream: stream, sequence: sequence, gap: takeGap(), arrival: arrival, origin: origin)
    }

    /// How many frames are missing before the one that is emitted now.
    @usableFromInline
    mutating func takeGap() -> Int32 {
        defer { gap = 0 }
        return gap
    }

    @usableFromInline
    mutating func drop(_ reason: DropReason) {
        slot.dropReason = reason
        marks.insert(.drops)
    }
}

/// A node of a stage in memory: what the engine keeps of it, and where its frames go.
@usableFromInline
package struct NodeHead<Output: Payload> {
    @usableFromInline let state: NodeState
    @usableFromInline let next: Link<Output>

    init(_ state: NodeState, next: Link<Output>) {
        self.state = state
        self.next = next
    }
}
