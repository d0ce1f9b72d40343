/// A frame that could not be processed. A node with `on_error: route` emits it from its error output.
public struct FailedFrame: Payload {
    public static let kind: Kind = "error"

    /// The `id` of the node that failed to process the frame.
    public let node: String

    /// The error that the node reported.
    public let error: PipelineError

    /// The payload of the frame; `nil` if a source could not decode it.
    public let frame: (any Payload)?

    /// Creates a failed frame.
    public init(node: String, error: PipelineError, frame: (any Payload)?) {
        self.node = node
        self.error = error
        self.frame = frame
    }
}
