/// What happens to a frame that cannot be decoded or processed.
public enum ErrorPolicy: String, Sendable, CaseIterable {
    /// The run fails.
    case fail
    /// The frame is counted as failed, and the next one is processed.
    case skip
    /// The frame goes to the node's error output (`from: <id>.errors`), as a frame of kind `error`.
    case route
}
