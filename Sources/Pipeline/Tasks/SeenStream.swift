/// A stream that has come, and where it stood when another one came.
package struct SeenStream: Sendable {
    package let stream: StreamID
    package internal(set) var timestamp: Timestamp
    package internal(set) var sequence: Int64
}
