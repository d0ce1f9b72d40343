/// A frame that was seen on its way.
package struct WatchedFrame: Sendable {
    package let payload: any Payload
    package let timestamp: Timestamp
    package let stream: StreamID
    package let sequence: Int64
    package let origin: Origin?

    /// A payload that was no frame.
    package init(_ payload: any Payload, at timestamp: Timestamp, stream: StreamID) {
        (self.payload, self.timestamp, self.stream, sequence, origin) = (payload, timestamp, stream, 0, nil)
    }

    init<P: Payload>(_ payload: P, _ header: FrameHeader) {
        self.payload = payload
        (timestamp, stream, sequence, origin) = (header.timestamp, header.stream, header.sequence, header.origin)
    }
}
