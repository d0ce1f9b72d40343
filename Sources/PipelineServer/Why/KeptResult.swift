import Pipeline

/// A result that can be explained: the values that identify it, and its message.
struct KeptResult: Sendable {
    let id: Int
    /// The index of the node in the plan.
    let node: Int
    let stream: StreamID
    let sequence: Int64
    let timestamp: Timestamp
    /// The canonical message; `nil` if there is none.
    let payload: [UInt8]?

    /// Creates a result from an observed frame.
    ///
    /// - Parameter node: The index of the node in the plan.
    init(_ seen: SeenFrame, node: Int) {
        self.init(seen.frame, id: seen.id, node: node, payload: seen.payload.payload)
    }

    /// Creates a result.
    ///
    /// - Parameter payload: The canonical message; `nil` if the result is only used for comparisons.
    init(_ frame: WatchedFrame, id: Int, node: Int, payload: [UInt8]?) {
        (self.id, self.node, self.payload) = (id, node, payload)
        (stream, sequence, timestamp) = (frame.stream, frame.sequence, frame.timestamp)
    }
}
