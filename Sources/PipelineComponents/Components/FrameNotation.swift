import Pipeline

/// How the frames of one payload type are written where a person writes them by hand, in the tests of a configuration: as
/// one JSON object each.
///
/// The engine knows no payload: a registry has the notations of its payloads beside its components.
public struct FrameNotation<P: Payload>: Sendable {
    /// The meaning of one object.
    public struct Item {
        /// The frame; `nil` when the object only ends its stream.
        public var frame: Frame<P>?

        /// The stream that ends with it.
        public var endedStream: StreamID?

        /// Wraps what was read.
        public init(frame: Frame<P>?, endedStream: StreamID? = nil) {
            self.frame = frame
            self.endedStream = endedStream
        }
    }

    /// Reads one object. What has no time of its own is stamped with the moment of its arrival.
    public typealias Reader = (_ json: String, _ arrival: Timestamp) throws -> Item

    package let makeReader: (@Sendable () throws -> Reader)?
    package let write: @Sendable (Frame<P>) throws -> String

    /// Describes a notation.
    ///
    /// - Parameters:
    ///   - makeReader: Makes what reads the objects of one source, in order, and numbers the frames that have no number;
    ///     `nil` for a payload that is only written.
    ///   - write: Writes a frame as one JSON object.
    public init(
        makeReader: (@Sendable () throws -> Reader)?, write: @escaping @Sendable (Frame<P>) throws -> String
    ) {
        self.makeReader = makeReader
        self.write = write
    }
}
