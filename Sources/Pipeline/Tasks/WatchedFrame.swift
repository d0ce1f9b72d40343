/// A frame that was seen on its way.
package struct WatchedFrame: Sendable {
    package let payload: any Payload
    package let timestamp: Timestamp
    package let stream: StreamID
    package let sequence: Int64
    package let origin: Origin?
    /// When it reached the run, on the run's clock, in nanoseconds.
    package let arrival: Int64

    /// A payload that was no frame.
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
