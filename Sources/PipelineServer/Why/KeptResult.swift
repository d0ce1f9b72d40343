import Pipeline

/// A result that is kept.
struct KeptResult: Sendable {
    let id: Int
    /// The node's place in the graph.
    let node: Int
    let stream: StreamID
    let sequence: Int64
    let timestamp: Timestamp
    /// The canonical message, if it has one.
    let payload: [UInt8]?

    /// - Parameter node: The node's place in the graph.
    init(_ seen: SeenFrame, node: Int) {
        (id, self.node, payload) = (seen.id, node, seen.payload.payload)
        (stream, sequence, timestamp) = (seen.frame.stream, seen.frame.sequence, seen.frame.timestamp)
    }
}
