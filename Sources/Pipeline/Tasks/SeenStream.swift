/// A stream that was observed, with the timestamp and the sequence number of its last frame.
package struct SeenStream: Sendable {
    package let stream: StreamID
    package internal(set) var timestamp: Timestamp
    package internal(set) var sequence: Int64
}
