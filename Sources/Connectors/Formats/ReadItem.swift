import Pipeline

/// An item read from a file or a pipe.
enum ReadItem<P: Payload> {
    /// A frame.
    case frame(Frame<P>)

    /// A message without a frame, which reports that there is nothing at its time.
    case empty(StreamID, Timestamp, Int64)

    /// An item that could not be read, with the stream it belongs to, if known.
    case failure(PipelineError, StreamID)

    /// The end of a stream.
    case end(StreamID)
}
