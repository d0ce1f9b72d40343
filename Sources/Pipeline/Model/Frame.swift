/// One timestamped element of a stream.
public struct Frame<Payload: Pipeline.Payload>: Sendable {
    /// When the frame happened, in the time of its stream.
    public var timestamp: Timestamp

    /// The stream it belongs to.
    public var stream: StreamID

    /// The number the source gave. What a stage emits carries that of the input that caused it.
    public var sequence: Int64

    /// How many frames of the stream went missing right before this one: dropped by an edge, late, failed, or lost on
    /// a wire. Frames let go on purpose (by a filter, say) add nothing.
    public var gap: Int32

    /// When the source brought it, in nanoseconds of the run's clock; 0 when not known, as in batch mode. What a stage
    /// emits carries that of the input that caused it. It is no part of a frame's value.
    public var arrival: Int64

    /// What only few stages need to know; `nil` for most frames.
    public var origin: Origin?

    /// The value.
    public var payload: Payload

    /// Makes a frame.
    @inlinable
    public init(
        _ payload: Payload, at timestamp: Timestamp, stream: StreamID = "", sequence: Int64 = 0, gap: Int32 = 0,
        origin: Origin? = nil, arrival: Int64 = 0
    ) {
        self.timestamp = timestamp
        self.stream = stream
        self.sequence = sequence
        self.gap = gap
        self.arrival = arrival
        self.origin = origin
        self.payload = payload
    }
}

extension Frame: Equatable where Payload: Equatable {
    /// Frames are equal when everything but their origin and arrival is.
    public static func == (a: Frame, b: Frame) -> Bool {
        a.timestamp == b.timestamp && a.stream == b.stream && a.sequence == b.sequence && a.gap == b.gap
            && a.payload == b.payload
    }
}
