/// A frame that could not be processed, as emitted by a node's second output (`on_error: route`).
public struct FailedFrame: Payload {
    public static let kind: Kind = "error"

    /// The `id` of the node that refused it.
    public let node: String

    /// What was wrong.
    public let error: PipelineError

    /// The payload of the frame; `nil` if a source could not decode it.
    public let frame: (any Payload)?

    /// Describes a failed frame.
    public init(node: String, error: PipelineError, frame: (any Payload)?) {
        self.node = node
        self.error = error
        self.frame = frame
    }
}
