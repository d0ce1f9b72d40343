import Pipeline
import Stages

/// Reads messages as a guess says, one after the other as they came.
package struct SenderReading {
    /// What a message was read as.
    package struct Summary: Sendable {
        /// The stream it belongs to.
        package let stream: StreamID
        /// The number that its sender gave it.
        package let sequence: Int64?
        /// When it happened; `nil` when there was nothing in it.
        package let time: Timestamp?
        /// The same where the message says it, and is not stamped when it comes.
        package let givenTime: Timestamp?
        /// What is in it, in a few words.
        package let text: String
        /// Whether there was anything in it.
        package let hasContent: Bool
        /// Whether its stream ends.
        package let endsStream: Bool
        /// Whether it only says which number its stream has reached.
        package let isQuiet: Bool
    }

    private let reading: (ReceivedMessage) throws -> Summary

    /// Makes a reader; `nil` when no decoder can be made.
    package init?(_ guess: SenderGuess) {
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
                        receivedAt: message.arrival / 1000)
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
    /// - Throws: A frame error, located by byte.
    package func read(_ message: ReceivedMessage) throws -> Summary { try reading(message) }
}
