/// A stream that was observed, with its state when a frame of another stream arrived.
package struct SeenStream: Sendable {
    package let stream: StreamID
    package internal(set) var timestamp: Timestamp
    package internal(set) var sequence: Int64
}
