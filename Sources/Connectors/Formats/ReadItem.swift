import Pipeline

/// An item read from a file or a pipe.
enum ReadItem<P: Payload> {
    /// A frame.
    case frame(Frame<P>)

    /// A message that reports that nothing was detected, such as no hand in the image: its stream, time and sequence number.
    case empty(StreamID, Timestamp, Int64)

    /// An item that could not be read, and its stream: if unknown, the default stream or a stream with an empty name.
    case failure(PipelineError, StreamID)

    /// The end of a stream.
    case end(StreamID, StreamEnd = .over)
}
