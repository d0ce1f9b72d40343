/// A copy of a frame that was observed in a run.
package struct WatchedFrame: Sendable {
    package let payload: any Payload
    package let timestamp: Timestamp
    package let stream: StreamID
    package let sequence: Int64
    package let origin: Origin?
    /// The arrival time of the frame, in nanoseconds of the run's clock.
    package let arrival: Int64

    /// Creates a watched frame for a payload that was not in a frame.
    package init(_ payload: any Payload, at timestamp: Timestamp, stream: StreamID) {
        (self.payload, self.timestamp, self.stream) = (payload, timestamp, stream)
        (sequence, origin, arrival) = (0, nil, 0)
    }

    init<P: Payload>(_ payload: P, _ header: FrameHeader) {
        self.payload = payload
        (timestamp, stream, sequence) = (header.timestamp, header.stream, header.sequence)
        (origin, arrival) = (header.origin, header.arrival)
    }
}
