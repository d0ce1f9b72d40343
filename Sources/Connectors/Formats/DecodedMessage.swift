import Pipeline

/// The result of decoding one message.
package struct DecodedMessage<P: Payload>: Sendable {
    /// The frame; `nil` if the message has no payload.
    package var frame: Frame<P>?

    /// The stream of the message.
    package var stream: StreamID

    /// The sequence number in the message; `nil` if there is none. A decoder with counters then numbers the frame itself.
    package var sequence: Int64?

    /// Whether this is the last message of its stream.
    package var endsStream = false

    /// Whether the stream goes on after that.
    package var end = StreamEnd.over

    /// Whether the message only reports the last sequence number of an idle stream. If ``endsStream`` is also set, the message
    /// repeats an end that was sent before.
    package var isQuiet = false

    /// The time of a message that reports that nothing was detected, such as no hand in the image; `nil` for any other message.
    package var emptyAt: Timestamp?
}

extension DecodedMessage {
    /// Removes the mark that the frame's timestamp is its time of receipt. Needed after decoding with a `receivedAt` that is not a
    /// time of receipt, such as a time from another part of the message.
    mutating func forgetStamp() {
        guard let origin = frame?.origin, origin.isStamped else { return }
        let clock = origin.clock == Origin.clockOfReceipt ? nil : origin.clock
        let isNothing = clock == nil && origin.file == nil && origin.line == nil && origin.unknown.isEmpty
        frame?.origin =
            isNothing ? nil : Origin(clock: clock, file: origin.file, line: origin.line, unknown: origin.unknown)
    }
}

/// The parts of a message that were read before its decoding failed. A part is `nil` if it was not read.
package struct UnreadMessage: Sendable {
    /// The stream of the message.
    package var stream: StreamID?

    /// The sequence number in the message.
    package var sequence: Int64?

    /// The kind of payload that the message declares, which may be a kind that no payload type has.
    package var kind: String?

    /// Whether this is the last message of its stream.
    package var endsStream = false

    /// Whether the stream goes on after that.
    package var end = StreamEnd.over
}

extension DropReason {
    /// The message reports that nothing was detected.
    package static let empty: DropReason = "empty"
}

extension Origin {
    /// The clock name of frames whose timestamp is their time of receipt.
    package static let clockOfReceipt = "receipt"
}
