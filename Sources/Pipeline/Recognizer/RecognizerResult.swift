/// What came of a frame that was given to a recognizer.
public struct RecognizerResult<Output: Payload>: Sendable {
    /// The stream that the frame was given for.
    public let stream: StreamID

    /// The frame's timestamp; for what a stage made when it was woken between frames, or at the end, the time of that.
    public let timestamp: Timestamp

    /// How many frames of the stream went missing right before this one, dropped at once or later.
    public let gap: Int32

    /// All that came out after the result before and up to the timestamp, in order; empty when nothing did.
    public let frames: [Frame<Output>]

    /// Why the frame could not be processed, if so. In the modes that give results at once it is thrown instead.
    public let error: PipelineError?

    init(
        stream: StreamID, timestamp: Timestamp, gap: Int32 = 0, frames: [Frame<Output>], error: PipelineError? = nil
    ) {
        self.stream = stream
        self.timestamp = timestamp
        self.gap = gap
        self.frames = frames
        self.error = error
    }

    /// The values of the frames.
    public var payloads: [Output] { frames.map(\.payload) }
}
