/// What becomes of a frame that cannot be decoded or processed.
public enum ErrorPolicy: String, Sendable, CaseIterable {
    /// The run fails.
    case fail
    /// The frame is counted as failed, and the next one is processed.
    case skip
    /// It goes on as kind `error` on the node's second output.
    case route
}
