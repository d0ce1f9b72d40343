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
}
