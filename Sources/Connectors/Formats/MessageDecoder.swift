import Pipeline

/// Reads the messages of a source, of our shape or of another.
package struct MessageDecoder<P: WirePayload>: Sendable {
    private var canonical: CanonicalDecoder<P>?
    private var mapped: MappedDecoder<P>?
    private let topicDelimiter: [UInt8]
    private let timeUnit: TimeUnit
    private var lastTopic: StreamID
    /// The stream that the topic of the last message named, where that stood in the same frame.
    private var cutTopic: StreamID?

    /// How messages are written.
    let format: DecodeOptions.Format

    /// Whether the bytes behind a message are read, too: whatever they are, they must be there.
    var needsPadding: Bool { format == .json }

    /// Makes a decoder.
    ///
    /// - Parameters:
    ///   - options: How messages are read.
    ///   - defaultStream: The stream of messages that name none.
    ///   - landmarks: What is known of landmarks beside what messages and a preset say.
    ///   - numbering: What numbers frames whose messages have no number; without it they get ``StreamCounters/none``.
    package init(
        _ options: DecodeOptions, defaultStream: StreamID, landmarks: LandmarkTraits = LandmarkTraits(),
        numbering: StreamCounters? = StreamCounters()
    ) throws {
        let kind = PayloadKind(P.self)
        let filled = options.filled(for: kind)
        let landmarks = options.landmarks(landmarks, for: kind)
        if options.isMapped {
            mapped = try MappedDecoder(
                filled, defaultStream: defaultStream, landmarks: landmarks, numbering: numbering)
        } else {
            canonical = try CanonicalDecoder(
                filled.format == .msgpack ? .messagePack : .json, defaultStream: defaultStream, landmarks: landmarks,
                numbering: numbering)
        }
        format = filled.format ?? .json
        timeUnit = filled.tUnit ?? .s
        topicDelimiter = Array((filled.topicDelimiter ?? "").utf8)
        lastTopic = defaultStream
    }

    /// Reads one message. O(bytes).
    ///
    /// - Parameters:
    ///   - bytes: The message. ``JSONReader/padding`` readable bytes must stand behind it if ``needsPadding``.
    ///   - stream: The stream it belongs to, whatever it says itself (a topic).
    ///   - receivedAt: When it was received; a message without a timestamp is stamped with it, others do not ask.
    /// - Throws: A frame error located by `byte N`; see `PipelineError.located(in:)`.
    @inline(__always)
    package mutating func decode(
        _ bytes: UnsafeRawBufferPointer, stream: StreamID? = nil, receivedAt: @autoclosure () -> Int64? = nil
    ) throws(PipelineError) -> DecodedMessage<P> {
        do {
            if canonical != nil, topicDelimiter.isEmpty || stream != nil {
                // Not by way of a copy of the decoder.
                if let message = try canonical?.decode(bytes, stream: stream, receivedAt: receivedAt()) {
                    return message
                }
            }
            return try decodeOther(bytes, stream: stream, receivedAt: receivedAt)
        } catch {
            throw pickleError(in: bytes) ?? error
        }
    }

    /// The time that a frame of its own says: as text, or as eight bytes of a floating-point number, the lowest first.
    ///
    /// - Throws: A frame error for what is no time.
    package func time(in frame: UnsafeRawBufferPointer) throws(PipelineError) -> Int64 {
        do {
            let isText = frame.allSatisfy { (0x20...0x7E).contains($0) }
            guard frame.count == 8, !isText, timeUnit != .iso8601 else { return try timeUnit.time(in: Array(frame)) }
            let value = Double(bitPattern: UInt64(littleEndian: frame.loadUnaligned(as: UInt64.self)))
            return try FieldMessage.time(value * timeUnit.microseconds, place: nil)
        } catch {
            throw .frame(error.code, "the frame of the time: \(error.message)", help: error.help)
        }
    }

    private mutating func decodeOther(
        _ bytes: UnsafeRawBufferPointer, stream: StreamID?, receivedAt: () -> Int64?
    ) throws(PipelineError) -> DecodedMessage<P> {
        var (bytes, stream, cut) = (bytes, stream, 0)
        cutTopic = nil
        if stream == nil, !topicDelimiter.isEmpty, let range = Self.range(of: topicDelimiter, in: bytes) {
            stream = try topic(named: UnsafeRawBufferPointer(rebasing: bytes[..<range.lowerBound]))
            cutTopic = stream
            cut = range.upperBound
            // What was readable behind the message still is.
            bytes = UnsafeRawBufferPointer(rebasing: bytes[cut...])
        }
        do {
            if let message = try canonical?.decode(bytes, stream: stream, receivedAt: receivedAt()) { return message }
            if let message = try mapped?.decode(bytes, stream: stream, receivedAt: receivedAt()) { return message }
        } catch {
            throw error.moved(by: cut)
        }
        throw PipelineError(.defect, "decode.none", "a decoder without a shape")
    }

    /// What a message that could not be read has said of itself before it went wrong.
    package mutating func unread() -> UnreadMessage {
        var said = canonical?.unread() ?? mapped?.unread() ?? UnreadMessage()
        said.stream = cutTopic ?? said.stream
        return said
    }

    /// Where bytes stand first.
    private static func range(of wanted: [UInt8], in bytes: UnsafeRawBufferPointer) -> Range<Int>? {
        guard let first = wanted.first else { return nil }
        var at = 0
        while let found = bytes[at...].firstIndex(of: first) {
            guard found + wanted.count <= bytes.count else { return nil }
            if bytes[found..<(found + wanted.count)].elementsEqual(wanted) { return found..<(found + wanted.count) }
            at = found + 1
        }
        return nil
    }

    /// The stream that a topic names. Messages in a row often have the same.
    package mutating func topic(named topic: UnsafeRawBufferPointer) throws(PipelineError) -> StreamID {
        var name = lastTopic.name
        if name.isSame(as: topic) { return lastTopic }
        guard let text = String(validating: topic, as: UTF8.self) else {
            throw .frame("decode.utf8", "the topic is not UTF-8")
        }
        lastTopic = StreamID(text)
        return lastTopic
    }
}

extension DecodeOptions {
    /// What is known of landmarks: what the source was told, and otherwise what the preset knows.
    func landmarks(_ told: LandmarkTraits, for kind: PayloadKind) -> LandmarkTraits {
        guard let known = preset?.landmarks(for: kind) else { return told }
        var traits = told
        traits.space = told.space ?? known.space
        traits.y = told.y ?? known.y
        traits.topology = told.topology ?? known.topology
        return traits
    }
}

extension PipelineError {
    /// The same error, so many bytes further on: `byte 40` becomes `byte 47`.
    fileprivate func moved(by count: Int) -> PipelineError {
        guard count > 0, let location, location.hasPrefix("byte "), let byte = Int(location.dropFirst(5)) else {
            return self
        }
        var error = self
        error.location = "byte \(byte + count)"
        return error
    }
}
