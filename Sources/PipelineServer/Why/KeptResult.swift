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
        self.init(seen.frame, id: seen.id, node: node, payload: seen.payload.payload)
    }

    /// - Parameter payload: The canonical message; `nil` where it is only to be found out which result it is.
    init(_ frame: WatchedFrame, id: Int, node: Int, payload: [UInt8]?) {
        (self.id, self.node, self.payload) = (id, node, payload)
        (stream, sequence, timestamp) = (frame.stream, frame.sequence, frame.timestamp)
    }
}
