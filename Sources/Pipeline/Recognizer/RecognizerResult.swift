/// The results of a frame that was passed to a recognizer.
public struct RecognizerResult<Output: Payload>: Sendable {
    /// The stream of the frame.
    public let stream: StreamID

    /// The frame's timestamp. For output that a stage emitted on a wake-up between frames or at the end, the time of that output.
    public let timestamp: Timestamp

    /// The number of frames of the stream that were dropped right before this one.
    public let gap: Int32

    /// All output after the previous result and up to the timestamp, in order. May be empty.
    public let frames: [Frame<Output>]

    /// The reason if the frame could not be processed. In the modes that return results directly, the error is thrown instead.
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

    /// The payloads of the frames.
    public var payloads: [Output] { frames.map(\.payload) }
}
