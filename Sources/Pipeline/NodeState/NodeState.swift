/// The engine's state for one node: for the instance of a stage that processes one stream. The state is kept between calls.
@usableFromInline
package struct NodeState {
    /// The stage itself.
    @usableFromInline let stage: UnsafeMutableRawPointer
    @usableFromInline let metrics: Unmanaged<NodeMetrics>
    @usableFromInline let flags: UnsafeMutablePointer<SegmentFlags>
    /// The state that all nodes of the stage share. The chain retains this state while the chain has nodes.
    unowned(unsafe) let call: StageCall
    let stream: StreamID

    /// The header of the frame being processed; `nil` between calls.
    @usableFromInline var header: UnsafePointer<FrameHeader>?
    @usableFromInline var time = Timestamp.beforeAll
    /// The time of the previous call. The timestamp of output must be later than this time, or equal to the time of the current
    /// call.
    @usableFromInline var previousBound = Timestamp.beforeAll
    @usableFromInline var lastOutput = Timestamp.beforeAll
    /// The time for which the stage has requested a wake-up; `never` if it has not.
    @usableFromInline var wakeTime = Timestamp.never
    @usableFromInline var sequence: Int64 = 0
    @usableFromInline var arrival: Int64 = 0
    @usableFromInline var origin: Origin?
    /// The number of frames that are missing since the last output.
    @usableFromInline var gap: Int32 = 0
    /// The actions of the stage in this call. They are in one field because most calls only emit, so that one check is enough.
    @usableFromInline var marks: EmitterMarks = []
    var hasFinished = false

    init(_ call: StageCall, stage: UnsafeMutableRawPointer, stream: StreamID) {
        self.call = call
        self.stage = stage
        self.stream = stream
        metrics = .passUnretained(call.account.metrics)
        flags = call.context.flags
    }

    /// Takes over the state of another node of the same stage and stream.
    mutating func adopt(_ other: NodeState) {
        (time, previousBound, lastOutput) = (other.time, other.previousBound, other.lastOutput)
        (wakeTime, sequence, arrival) = (other.wakeTime, other.sequence, other.arrival)
        (origin, gap, hasFinished) = (other.origin, other.gap, other.hasFinished)
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
        gap.addSaturated(header.pointee.gap)
        if header.pointee.origin != nil || origin != nil { origin = header.pointee.origin }
    }

    /// Begins a call of the stage without a frame.
    mutating func begin(at time: Timestamp) {
        header = nil
        previousBound = self.time
        self.time = time
    }

    /// Records an output with this timestamp as emitted or, if the timestamp is outside the allowed range, as refused. Returns
    /// whether the output may be emitted.
    @usableFromInline
    mutating func noteOutput(at timestamp: Timestamp) -> Bool {
        let isInRange =
            timestamp == time
            || timestamp < time && timestamp > previousBound
                && timestamp >= time.advanced(byMicroseconds: -call.earlier)
        guard isInRange, timestamp >= lastOutput else {
            call.refused = timestamp
            marks.insert(.refused)
            return false
        }
        note(timestamp)
        return true
    }

    /// Records an emitted frame.
    @inlinable
    @inline(__always)
    mutating func note(_ timestamp: Timestamp) {
        marks.insert(.emits)
        lastOutput = timestamp
        metrics._withUnsafeGuaranteedRef { $0.emitted.add() }
    }

    /// Records a frame emitted at the current time, and returns its header: the header of the input frame if both have the same
    /// content, otherwise a new one.
    @inlinable
    @inline(__always)
    mutating func headerOfOutput() -> UnsafePointer<FrameHeader> {
        note(time)
        guard let header, gap == header.pointee.gap else { return headerOfOwn() }
        gap = 0
        return header
    }

    @usableFromInline
    @inline(never)
    mutating func headerOfOwn() -> UnsafePointer<FrameHeader> {
        call.output.pointee = makeHeader(time)
        return UnsafePointer(call.output)
    }

    /// Creates the header of a frame that is emitted now.
    @usableFromInline
    mutating func makeHeader(_ timestamp: Timestamp) -> FrameHeader {
        FrameHeader(
            timestamp: timestamp, stream: stream, sequence: sequence, gap: takeGap(), arrival: arrival, origin: origin)
    }

    /// Returns the number of frames missing before the frame that is emitted now, and resets it.
    @usableFromInline
    mutating func takeGap() -> Int32 {
        defer { gap = 0 }
        return gap
    }

    /// The number of frames that all instances of the stage have emitted.
    var emittedSoFar: Int64 { metrics._withUnsafeGuaranteedRef { $0.emitted.value } }

    /// Records that the stage made its latest output from frames with timestamps from `since` on.
    func noteCause(_ since: Timestamp) {
        if since < lastOutput { call.causes?.note(stream, at: lastOutput, since: since) }
    }

    /// Returns whether the stage may emit a frame for a stream. If not, records the frame as refused.
    @usableFromInline
    mutating func mayEmit(for output: StreamID) -> Bool {
        guard output == stream || call.renamesStreams else {
            call.refusedStream = output
            marks.insert(.refused)
            return false
        }
        return true
    }

    /// Records that the stage emits a frame for a stream that may not be its own.
    @usableFromInline
    func noteName(_ output: StreamID) { call.names?.note(output, madeFrom: stream) }

    @usableFromInline
    mutating func drop(_ reason: DropReason) {
        call.dropReason = reason
        marks.insert(.drops)
    }
}

/// The beginning of a stage's node in memory: the engine's state, and the link to the next node.
@usableFromInline
package struct NodeHead<Output: Payload> {
    @usableFromInline let state: NodeState
    @usableFromInline let next: Link<Output>
}
