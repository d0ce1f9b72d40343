import Pipeline
import PipelineComponents

/// The format in which a sink writes messages.
public enum MessageFormat: String, OptionChoice {
    /// Canonical JSON.
    case json
    /// The object of canonical JSON, in MessagePack.
    case msgpack
}

/// An encoder that writes frames as messages. It reuses its memory from message to message.
package struct MessageEncoder: Sendable {
    private let encoder: CanonicalEncoder
    private let packer: MessagePackWriter?
    private var json = TextBuffer()

    /// Creates an encoder.
    package init(_ format: MessageFormat, receipt: CanonicalEncoder.Receipt = .none) {
        encoder = CanonicalEncoder(receipt: receipt)
        packer = format == .msgpack ? MessagePackWriter() : nil
    }

    /// Writes a frame, replacing the previous message; see ``CanonicalEncoder``.
    package mutating func encode<P: WireEncodable>(
        _ frame: Frame<P>, sequence: Int64? = nil
    ) throws(PipelineError) {
        json.clear()
        try encoder.encode(frame, sequence: sequence, into: &json)
    }

    /// Writes a message that ends a stream and has no payload, replacing the previous message.
    ///
    /// - Parameters:
    ///   - end: Whether the stream goes on.
    ///   - isRepeated: Whether the end was sent before. The repetition is for receivers that missed the first message.
    package mutating func encodeEnd(
        of stream: StreamID, kind: Kind, sequence: Int64, at time: Timestamp, _ end: StreamEnd = .over,
        isRepeated: Bool = false
    ) {
        json.clear()
        encoder.encodeEnd(
            of: stream, kind: kind, sequence: sequence, at: time, end, isRepeated: isRepeated, into: &json)
    }

    /// Writes a message that reports the last sequence number of an idle stream and has no payload, replacing the previous message.
    package mutating func encodeQuiet(_ stream: StreamID, kind: Kind, sequence: Int64, at time: Timestamp) {
        json.clear()
        encoder.encodeQuiet(stream, kind: kind, sequence: sequence, at: time, into: &json)
    }

    /// Lends the last message to `body`.
    package mutating func withMessage<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result {
        guard let packer else { return try json.withBytes(body) }
        return try json.withPaddedBytes { try packer.write($0, body) }
    }
}
