import Pipeline

/// An encoder that writes each frame as one canonical JSON object. The same frame always gives the same bytes.
package struct CanonicalEncoder: Sendable {
    /// The value of `recv_us`, the time of receipt.
    package enum Receipt: Sendable {
        /// The time of receipt that the frame's origin contains, if any.
        case asRead

        /// The time at which the source of this run emitted the frame. If it is unknown, the same as ``asRead``.
        case ofRun

        /// No value, because another receiver cannot use a time of this receiver's clock.
        case none
    }

    private let receipt: Receipt

    /// Creates an encoder.
    package init(receipt: Receipt = .asRead) { self.receipt = receipt }

    /// Appends one frame to `json`, without a line feed. O(numbers).
    ///
    /// - Parameters:
    ///   - frame: The frame.
    ///   - sequence: The number to write instead of the frame's own number.
    ///   - isEnd: Whether this is the last message of its stream.
    ///   - json: The buffer to append to. It is unchanged if the function throws.
    /// - Throws: A frame error for a payload that no reader would accept, such as one with a number that is not finite.
    package func encode<P: WireEncodable>(
        _ frame: Frame<P>, sequence: Int64? = nil, isEnd: Bool = false, into json: inout TextBuffer
    ) throws(PipelineError) {
        if let defect = frame.payload._encodingDefect { throw .frame("encode.counts", defect) }
        let before = json.count
        envelope(P.kind, frame.stream, sequence ?? frame.sequence, frame.timestamp, into: &json)
        if let receivedAt = receivedAt(frame) {
            json.literal(",\"recv_us\":")
            json.integer(receivedAt)
        }
        if let clock = frame.origin?.clock {
            json.literal(",\"clock\":")
            json.quoted(clock)
        }
        frame.payload.encode(into: &json)
        if let file = frame.origin?.file {
            json.literal(",\"file\":")
            json.quoted(file)
        }
        if let line = frame.origin?.line {
            json.literal(",\"line\":")
            json.integer(line)
        }
        if let origin = frame.origin {
            for unknown in origin.unknown
            where !Self.isWritten(unknown.key, origin, P.self) {
                json.byte(UInt8(ascii: ","))
                json.quoted(unknown.key)
                json.byte(UInt8(ascii: ":"))
                json.plain(unknown.json)
            }
        }
        if isEnd { json.literal(",\"end\":true") }
        json.byte(UInt8(ascii: "}"))
        guard !json.hasNonFinite else {
            json.truncate(to: before)
            throw .frame("encode.not_finite", "a \(P.kind) holds a number that is not finite")
        }
    }

    /// Returns whether the encoder writes this key for the envelope, the payload or the origin. An unknown key with the same name
    /// is then left out.
    private static func isWritten<P: WireEncodable>(_ name: String, _ origin: Origin, _ payload: P.Type) -> Bool {
        switch WireKey.named(name) {
        case .file: origin.file != nil
        case .line: origin.line != nil
        case let key: key.map(WireKeys.envelope.contains) ?? false || P.declares(name, key)
        }
    }

    /// Writes the message that ends a stream. It has no payload.
    ///
    /// - Parameters:
    ///   - end: Whether the stream goes on.
    ///   - isRepeated: Whether the end was sent before. The repetition is for receivers that missed the first message.
    package func encodeEnd(
        of stream: StreamID, kind: Kind, sequence: Int64, at time: Timestamp, _ end: StreamEnd = .over,
        isRepeated: Bool = false, into json: inout TextBuffer
    ) {
        envelope(kind, stream, sequence, time, into: &json)
        if isRepeated { json.literal(",\"quiet\":true") }
        json.literal(",\"end\":true")
        if end == .restarts { json.literal(",\"restarts\":true") }
        json.byte(UInt8(ascii: "}"))
    }

    /// Writes a message that reports the last sequence number of an idle stream, so that receivers can detect lost messages. It has
    /// no payload.
    package func encodeQuiet(
        _ stream: StreamID, kind: Kind, sequence: Int64, at time: Timestamp, into json: inout TextBuffer
    ) {
        envelope(kind, stream, sequence, time, into: &json)
        json.literal(",\"quiet\":true}")
    }

    @inline(__always)
    private func receivedAt<P>(_ frame: Frame<P>) -> Int64? {
        switch receipt {
        case .asRead: frame.origin?.receivedAt
        case .ofRun: frame.arrival > 0 ? frame.arrival / 1000 : frame.origin?.receivedAt
        case .none: nil
        }
    }

    private func envelope(
        _ kind: Kind, _ stream: StreamID, _ sequence: Int64, _ time: Timestamp, into json: inout TextBuffer
    ) {
        json.literal("{\"v\":1,\"kind\":\"")
        json.plain(kind.rawValue)
        json.literal("\",\"stream\":")
        json.quoted(stream.name)
        json.literal(",\"seq\":")
        json.integer(sequence)
        json.literal(",\"t_us\":")
        json.integer(time.rawValue)
    }
}
