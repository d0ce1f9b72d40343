import Pipeline

/// Writes frames as canonical JSON: one object a frame, always the same bytes for the same frame.
package struct CanonicalEncoder: Sendable {
    /// What is written as `recv_us`, the time of receipt.
    package enum Receipt: Sendable {
        /// What came with the frame, if anything did.
        case asRead

        /// When the source of this run brought the frame; where that is not known, what came with it.
        case ofRun

        /// Nothing: the clock of one receiver tells another nothing.
        case none
    }

    private let receipt: Receipt

    /// Makes an encoder.
    package init(receipt: Receipt = .asRead) { self.receipt = receipt }

    /// Writes one frame, without a line feed.
    ///
    /// - Parameters:
    ///   - sequence: The number to write in place of the frame's own.
    ///   - isEnd: Whether this is the last message of its stream.
    /// - Throws: A frame error, with `json` as it was, for a number that JSON cannot say. O(numbers).
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

    /// Whether a key that came unknown to us has been written as one of ours.
    private static func isWritten<P: WireEncodable>(_ name: String, _ origin: Origin, _ payload: P.Type) -> Bool {
        switch WireKey.named(name) {
        case .file: origin.file != nil
        case .line: origin.line != nil
        case let key: key.map(WireKeys.envelope.contains) ?? false || P.declares(name, key)
        }
    }

    /// Writes the message that ends a stream and carries nothing; `isRepeated` says that it was said before.
    package func encodeEnd(
        of stream: StreamID, kind: Kind, sequence: Int64, at time: Timestamp, isRepeated: Bool = false,
        into json: inout TextBuffer
    ) {
        envelope(kind, stream, sequence, time, into: &json)
        if isRepeated { json.literal(",\"quiet\":true") }
        json.literal(",\"end\":true}")
    }

    /// Writes the message that says which number a quiet stream has reached, and carries nothing.
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
