/// One timestamped element of a stream.
public struct Frame<Payload: Pipeline.Payload>: Sendable {
    // The header is the first field and has the same layout for all payloads. Generic code that only forwards a frame reads the
    // header at a fixed offset and does not need to know the payload type.
    @usableFromInline package var header: FrameHeader

    /// The frame's content.
    public var payload: Payload

    /// Creates a frame.
    @inlinable
    public init(
        _ payload: Payload, at timestamp: Timestamp, stream: StreamID = "", sequence: Int64 = 0, gap: Int32 = 0,
        origin: Origin? = nil, arrival: Int64 = 0
    ) {
        header = FrameHeader(
            timestamp: timestamp, stream: stream, sequence: sequence, gap: gap, arrival: arrival, origin: origin)
        self.payload = payload
    }

    @inlinable
    @inline(__always)
    package init(_ payload: consuming Payload, _ header: FrameHeader) {
        self.header = header
        self.payload = payload
    }
}

extension Frame {
    /// The time of the event that the frame describes, in the time of its stream.
    @inlinable
    public var timestamp: Timestamp {
        @inline(__always) get { header.timestamp }
        @inline(__always) set { header.timestamp = newValue }
    }

    /// The stream that the frame belongs to.
    @inlinable
    public var stream: StreamID {
        @inline(__always) get { header.stream }
        @inline(__always) set { header.stream = newValue }
    }

    /// The sequence number that the source assigned. A frame that a stage emits has the number of the input frame that caused it.
    @inlinable
    public var sequence: Int64 {
        @inline(__always) get { header.sequence }
        @inline(__always) set { header.sequence = newValue }
    }

    /// The number of frames of the stream that are missing right before this one: dropped by an edge, late, failed, or lost by a
    /// network. Frames dropped on purpose, for example by a filter, do not count.
    @inlinable
    public var gap: Int32 {
        @inline(__always) get { header.gap }
        @inline(__always) set { header.gap = newValue }
    }

    /// The time at which the source read the frame, in nanoseconds of the run's clock; 0 if unknown, as in most batch runs.
    ///
    /// A frame that a stage emits has the arrival time of the input frame that caused it. The arrival time is not part of the
    /// frame's value.
    @inlinable
    public var arrival: Int64 {
        @inline(__always) get { header.arrival }
        @inline(__always) set { header.arrival = newValue }
    }

    /// Details that only a few stages need; `nil` for most frames.
    @inlinable
    public var origin: Origin? {
        @inline(__always) get { header.origin }
        @inline(__always) set { header.origin = newValue }
    }
}

/// All fields of a frame except its payload, as stored by the engine. Stages see it as ``Header``.
public struct FrameHeader: Sendable {
    @usableFromInline package var timestamp: Timestamp
    @usableFromInline package var stream: StreamID
    @usableFromInline package var sequence: Int64
    @usableFromInline package var gap: Int32
    /// The frame's index among the frames offered to its next task. Only used while a run is recorded or replayed; see ``Tape``.
    @usableFromInline package var ordinal: UInt32 = 0
    @usableFromInline package var arrival: Int64
    @usableFromInline package var origin: Origin?

    @inlinable
    package init(
        timestamp: Timestamp, stream: StreamID, sequence: Int64 = 0, gap: Int32 = 0, arrival: Int64 = 0,
        origin: Origin? = nil
    ) {
        self.timestamp = timestamp
        self.stream = stream
        self.sequence = sequence
        self.gap = gap
        self.arrival = arrival
        self.origin = origin
    }
}

extension FrameHeader {
    /// The frame's location for messages: `stream pen/1, frame 12 at 0.250000 s, file a.jsonl, line 13`.
    var place: String {
        let name = stream.name.isEmpty ? "" : "stream \(stream.name), "
        let file = origin?.file.map { ", file \($0)" } ?? ""
        let line = origin?.line.map { ", line \($0)" } ?? ""
        return "\(name)frame \(sequence) at \(timestamp)\(file)\(line)"
    }
}

extension Frame: Equatable where Payload: Equatable {
    /// Returns whether two frames are equal, ignoring their origin and arrival time.
    public static func == (a: Frame, b: Frame) -> Bool {
        a.timestamp == b.timestamp && a.stream == b.stream && a.sequence == b.sequence && a.gap == b.gap
            && a.payload == b.payload
    }
}
