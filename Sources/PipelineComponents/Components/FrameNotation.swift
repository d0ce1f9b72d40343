import Pipeline

/// The notation for handwritten frames of one payload type in the tests of a configuration: one JSON object per frame.
///
/// The engine does not know concrete payload types, so a registry holds the notations of its payloads in addition to its
/// components.
public struct FrameNotation<P: Payload>: Sendable {
    /// The contents of one object.
    public struct Item {
        /// The frame; `nil` if the object only ends its stream.
        public var frame: Frame<P>?

        /// The stream that the object ends.
        public var endedStream: StreamID?

        /// Creates an item.
        public init(frame: Frame<P>?, endedStream: StreamID? = nil) {
            self.frame = frame
            self.endedStream = endedStream
        }
    }

    /// Reads one object. A frame without a timestamp gets the arrival time.
    public typealias Reader = (_ json: String, _ arrival: Timestamp) throws -> Item

    package let makeReader: (@Sendable () throws -> Reader)?
    package let write: @Sendable (Frame<P>) throws -> String

    /// Creates a notation.
    ///
    /// - Parameters:
    ///   - makeReader: Creates the reader for the objects of one source. The reader receives the objects in order and numbers the
    ///     frames that have no sequence number. `nil` if tests cannot read frames of this payload, only write them.
    ///   - write: Writes a frame as one JSON object.
    public init(
        makeReader: (@Sendable () throws -> Reader)?, write: @escaping @Sendable (Frame<P>) throws -> String
    ) {
        self.makeReader = makeReader
        self.write = write
    }
}
