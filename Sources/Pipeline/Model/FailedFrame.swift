/// A frame that could not be processed, as it travels on a node's second output (`on_error: route`).
public struct FailedFrame: Payload {
    public static let kind: Kind = "error"

    /// The `id` of the node that refused it.
    public let node: String

    /// What was wrong.
    public let error: PipelineError

    /// The frame, if there was one: what a source could not decode has none.
    public let frame: (any Payload)?

    /// Describes a failed frame.
    public init(node: String, error: PipelineError, frame: (any Payload)?) {
        self.node = node
        self.error = error
        self.frame = frame
    }
}
