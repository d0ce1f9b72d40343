import Pipeline
import Stages

/// Reads messages according to a guess, in the order of their arrival.
package struct SenderReading {
    /// A summary of a message that was read.
    package struct Summary: Sendable {
        /// The stream of the message.
        package let stream: StreamID
        /// The sequence number from the sender.
        package let sequence: Int64?
        /// The time of the frame, or of a message in which nothing was detected. `nil` when the message has neither.
        package let time: Timestamp?
        /// The time from the message itself, or `nil` when the frame was stamped on arrival.
        package let givenTime: Timestamp?
        /// A short description of the content.
        package let text: String
        /// Whether the message has a frame. `false` if the frame is an empty set of hands.
        package let hasContent: Bool
        /// Whether the message ends its stream.
        package let endsStream: Bool
        /// Whether the message only announces which sequence number its stream has reached.
        package let isQuiet: Bool
    }

    private let reading: (ReceivedMessage) throws -> Summary

    /// Creates a reader. Returns `nil` when no decoder can be created for the guess.
    ///
    /// - Parameter isFile: Whether the messages are in a file, where a missing time is an error unless the guess has `hz`.
    package init?(_ guess: SenderGuess, isFile: Bool = false) {
        let stamps = !isFile || guess.decode.hz != nil
        func open<P: WirePayload>(_ payload: P.Type) -> ((ReceivedMessage) throws -> Summary)? {
            guard var decoder = try? MessageDecoder<P>(guess.decode, defaultStream: "", landmarks: guess.landmarks)
            else {
                return nil
            }
            return { message in
                let payload = message.parts.last ?? []
                let topic =
                    message.parts.count == 2
                    ? try message.parts[0].withUnsafeBytes { try decoder.topic(named: $0) } : nil
                let padded = payload + [UInt8](repeating: 0, count: JSONReader.padding)
                let read = try padded.withUnsafeBytes { bytes in
                    try decoder.decode(
                        UnsafeRawBufferPointer(rebasing: bytes[0..<payload.count]), stream: topic,
                        receivedAt: stamps ? message.arrival / 1000 : nil)
                }
                var text = TextBuffer(capacity: 128)
                read.frame?.payload._summarize(into: &text)
                return Summary(
                    stream: read.stream, sequence: read.sequence, time: read.frame?.timestamp ?? read.emptyAt,
                    givenTime: read.frame.flatMap { $0.origin?.isStamped == true ? nil : $0.timestamp },
                    text: read.frame == nil
                        ? (read.endsStream ? "the end" : read.isQuiet ? "quiet" : "nothing") : text.text,
                    hasContent: read.frame.map { ($0.payload as? Hands)?.hands.isEmpty != true } ?? false,
                    endsStream: read.endsStream, isQuiet: read.isQuiet)
            }
        }
        let payload: any WirePayload.Type = guess.kind.type
        guard let reading = open(payload) else { return nil }
        self.reading = reading
    }

    /// Reads a message.
    ///
    /// - Throws: A frame error, located by byte, when the message cannot be read.
    package func read(_ message: ReceivedMessage) throws -> Summary { try reading(message) }
}
