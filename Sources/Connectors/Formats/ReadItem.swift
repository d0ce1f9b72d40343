import Pipeline

/// One thing read from a file or a pipe.
enum ReadItem<P: Payload> {
    /// A frame.
    case frame(Frame<P>)

    /// A message that says that there is nothing.
    case empty(StreamID, Timestamp, Int64)

    /// Something that could not be read, and the stream it belongs to, if known.
    case failure(PipelineError, StreamID)

    /// The end of a stream.
    case end(StreamID)
}
