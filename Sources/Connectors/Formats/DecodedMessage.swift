import Pipeline

/// What one message was found to be.
package struct DecodedMessage<P: Payload>: Sendable {
    /// The frame; `nil` when the message only ends its stream, or there is nothing in it.
    package var frame: Frame<P>?

    /// The stream it belongs to.
    package var stream: StreamID

    /// The number the sender gave, if it gave one. Without it the frame's own number is counted by the decoder.
    package var sequence: Int64?

    /// Whether this is the last message of its stream.
    package var endsStream = false

    /// Whether it only says which number its stream has reached, because the stream has been quiet for a while; or, where it
    /// ends the stream, that it has said so before.
    package var isQuiet = false

    /// When a message was sent that says that there is nothing: no hand, nobody in the picture.
    package var emptyAt: Timestamp?
}

extension DecodedMessage {
    /// Forgets that the frame was stamped when it was received: something else told its time.
    mutating func forgetStamp() {
        guard let origin = frame?.origin, origin.isStamped else { return }
        let clock = origin.clock == Origin.clockOfReceipt ? nil : origin.clock
        let isNothing = clock == nil && origin.file == nil && origin.line == nil && origin.unknown.isEmpty
        frame?.origin =
            isNothing ? nil : Origin(clock: clock, file: origin.file, line: origin.line, unknown: origin.unknown)
    }
}

/// What a message that could not be read has said of itself before it went wrong.
package struct UnreadMessage: Sendable {
    /// The stream it belongs to.
    package var stream: StreamID?

    /// The number the sender gave it.
    package var sequence: Int64?

    /// What it holds, in the sender's words.
    package var kind: String?
}

extension DropReason {
    /// A message that says that there is nothing.
    package static let empty: DropReason = "empty"
}

extension Origin {
    /// The name of the clock of frames that were stamped when they were received.
    package static let clockOfReceipt = "receipt"
}
