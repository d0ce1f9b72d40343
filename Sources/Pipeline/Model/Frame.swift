/// One timestamped element of a stream.
public struct Frame<Payload: Pipeline.Payload>: Sendable {
    // The header stands first and is the same for all payloads: generic code that only passes a frame on reads it at a
    // fixed place and needs to know nothing about the payload.
    @usableFromInline package var header: FrameHeader

    /// The value.
    public var payload: Payload

    /// Makes a frame.
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
    /// When the frame happened, in the time of its stream.
    @inlinable
    public var timestamp: Timestamp {
        @inline(__always) get { header.timestamp }
        @inline(__always) set { header.timestamp = newValue }
    }

    /// The stream it belongs to.
    @inlinable
    public var stream: StreamID {
        @inline(__always) get { header.stream }
        @inline(__always) set { header.stream = newValue }
    }

    /// The number the source gave. What a stage emits carries that of the input that caused it.
    @inlinable
    public var sequence: Int64 {
        @inline(__always) get { header.sequence }
        @inline(__always) set { header.sequence = newValue }
    }

    /// How many frames of the stream went missing right before this one: dropped by an edge, late, failed, or lost on
    /// a wire. Frames dropped on purpose, by a filter for example, add nothing.
    @inlinable
    public var gap: Int32 {
        @inline(__always) get { header.gap }
        @inline(__always) set { header.gap = newValue }
    }

    /// When the source brought it, in nanoseconds of the run's clock; 0 when not known, as in batch mode. What a stage
    /// emits carries that of the input that caused it. It is no part of a frame's value.
    @inlinable
    public var arrival: Int64 {
        @inline(__always) get { header.arrival }
        @inline(__always) set { header.arrival = newValue }
    }

    /// What only few stages need to know; `nil` for most frames.
    @inlinable
    public var origin: Origin? {
        @inline(__always) get { header.origin }
        @inline(__always) set { header.origin = newValue }
    }
}

/// All of a frame but its payload, as the engine keeps it; stages see it as ``Header``.
public struct FrameHeader: Sendable {
    @usableFromInline package var timestamp: Timestamp
    @usableFromInline package var stream: StreamID
    @usableFromInline package var sequence: Int64
    @usableFromInline package var gap: Int32
    /// Which of the frames that are offered to its next task it is, while a run is recorded or run again; see ``Tape``.
    @usableFromInline package var ordinal: UInt32 = 0
    @usableFromInline package var arrival: Int64
    @usableFromInline package var origin: Origin?

    @inlinable
    package init(
        timestamp: Timestamp, stream: StreamID, sequence: Int64, gap: Int32, arrival: Int64, origin: Origin?
    ) {
        self.timestamp = timestamp
        self.stream = stream
        self.sequence = sequence
        self.gap = gap
        self.arrival = arrival
        self.origin = origin
    }
}

extension Frame: Equatable where Payload: Equatable {
    /// Frames are equal when everything but their origin and arrival is.
    public static func == (a: Frame, b: Frame) -> Bool {
        a.timestamp == b.timestamp && a.stream == b.stream && a.sequence == b.sequence && a.gap == b.gap
            && a.payload == b.payload
    }
}
