import Pipeline
import PipelineComponents

/// How a sink writes messages.
public enum MessageFormat: String, OptionChoice {
    /// Canonical JSON.
    case json
    /// The same object in MessagePack.
    case msgpack
}

/// Writes frames as messages, in memory that is kept from one to the next.
package struct MessageEncoder: Sendable {
    private let encoder: CanonicalEncoder
    private let packer: MessagePackWriter?
    private var json = TextBuffer()

    /// Makes an encoder.
    package init(_ format: MessageFormat, receipt: CanonicalEncoder.Receipt = .none) {
        encoder = CanonicalEncoder(receipt: receipt)
        packer = format == .msgpack ? MessagePackWriter() : nil
    }

    /// Writes a frame in place of what was written before; see ``CanonicalEncoder``.
    package mutating func encode<P: WireEncodable>(
        _ frame: Frame<P>, sequence: Int64? = nil
    ) throws(PipelineError) {
        json.clear()
        try encoder.encode(frame, sequence: sequence, into: &json)
    }

    /// Writes the message that ends a stream and carries nothing; `isRepeated` says that the stream has been quiet since it was
    /// said.
    package mutating func encodeEnd(
        of stream: StreamID, kind: Kind, sequence: Int64, at time: Timestamp, isRepeated: Bool = false
    ) {
        json.clear()
        encoder.encodeEnd(of: stream, kind: kind, sequence: sequence, at: time, isRepeated: isRepeated, into: &json)
    }

    /// Writes the message that says which number a quiet stream has reached, and carries nothing.
    package mutating func encodeQuiet(_ stream: StreamID, kind: Kind, sequence: Int64, at time: Timestamp) {
        json.clear()
        encoder.encodeQuiet(stream, kind: kind, sequence: sequence, at: time, into: &json)
    }

    /// Lends the message that was written last.
    package mutating func withMessage<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result {
        guard let packer else { return try json.withBytes(body) }
        return try json.withPaddedBytes { try packer.write($0, body) }
    }
}
