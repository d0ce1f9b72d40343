import Pipeline

/// A decoder of a source's messages, which are canonical or have the shape that the `decode` options describe.
package struct MessageDecoder<P: WirePayload>: Sendable {
    private var canonical: CanonicalDecoder<P>?
    private var mapped: MappedDecoder<P>?
    private let topicDelimiter: [UInt8]
    private let timeUnit: TimeUnit
    private var lastTopic: StreamID
    /// The stream named by the topic of the last message, if the topic was in front of the payload in the same bytes.
    private var cutTopic: StreamID?

    /// The format of the messages.
    let format: DecodeOptions.Format

    /// Whether the parser reads bytes after the end of a message. These bytes must be readable; their values do not matter.
    var needsPadding: Bool { format == .json }

    /// Creates a decoder.
    ///
    /// - Parameters:
    ///   - options: The `decode` options of the source.
    ///   - defaultStream: The stream of messages that do not name one.
    ///   - landmarks: What the configuration declares about the landmarks. The preset fills in the rest.
    ///   - numbering: Numbers the frames of messages without a sequence number. If `nil`, these frames get ``StreamCounters/none``.
    ///   - watch: Finds out which paths lead to nothing; `nil` if nobody wants to know.
    package init(
        _ options: DecodeOptions, defaultStream: StreamID, landmarks: LandmarkTraits = LandmarkTraits(),
        numbering: StreamCounters? = StreamCounters(), watch: PathWatch? = nil
    ) throws {
        let kind = PayloadKind(P.self)
        let filled = options.filled(for: kind)
        let landmarks = options.landmarks(landmarks, for: kind)
        if options.isMapped {
            mapped = try MappedDecoder(
                filled, defaultStream: defaultStream, landmarks: landmarks, numbering: numbering,
                watch: watch)
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

    /// Decodes one message. O(bytes).
    ///
    /// - Parameters:
    ///   - bytes: The message. If ``needsPadding`` is true, ``JSONReader/padding`` readable bytes must follow it.
    ///   - stream: The stream of the message, for example its topic. It overrides the stream that the message names.
    ///   - receivedAt: The time of receipt, in microseconds of the receiver's monotonic clock. It is evaluated only for a message
    ///     without a timestamp, which gets this time.
    /// - Throws: A frame error located by `byte N`; see `PipelineError.located(in:)`.
    @inline(__always)
    package mutating func decode(
        _ bytes: UnsafeRawBufferPointer, stream: StreamID? = nil, receivedAt: @autoclosure () -> Int64? = nil
    ) throws(PipelineError) -> DecodedMessage<P> {
        do {
            if canonical != nil, topicDelimiter.isEmpty || stream != nil {
                // Calls the decoder through optional chaining, because `if let` would copy it.
                if let message = try canonical?.decode(bytes, stream: stream, receivedAt: receivedAt()) {
                    return consume message
                }
            }
            return try decodeOther(bytes, stream: stream, receivedAt: receivedAt)
        } catch {
            throw pickleError(in: bytes) ?? error
        }
    }

    /// Returns the time, in microseconds, in a ZeroMQ frame that contains only a time: as text, or as a 64-bit little-endian
    /// floating-point number.
    ///
    /// - Throws: A frame error if the frame does not contain a time.
    package func time(in frame: UnsafeRawBufferPointer) throws(PipelineError) -> Int64 {
        do {
            let isText = frame.allSatisfy { (0x20...0x7E).contains($0) }
            guard frame.count == 8, !isText, let scale = timeUnit.microseconds else {
                return try timeUnit.time(in: Array(frame))
            }
            let value = Double(bitPattern: UInt64(littleEndian: frame.loadUnaligned(as: UInt64.self)))
            return try FieldMessage.time(value * scale, place: nil)
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
            // This slice ends where the message does, so the padding after it is still readable.
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

    /// Returns what is known of a message that could not be decoded, as far as it could be read.
    package mutating func unread() -> UnreadMessage {
        var said = canonical?.unread() ?? mapped?.unread() ?? UnreadMessage()
        said.stream = cutTopic ?? said.stream
        return said
    }

    /// Returns the range of the first occurrence of `wanted`.
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

    /// Returns the stream that a topic, a key or a header names. The last stream is cached, because consecutive messages often have
    /// the same name.
    ///
    /// - Throws: A frame error (`decode.utf8`) if the name is not UTF-8.
    package mutating func topic(named topic: UnsafeRawBufferPointer) throws(PipelineError) -> StreamID {
        var name = lastTopic.name
        if name.isSame(as: topic) { return lastTopic }
        guard let text = String(validating: topic, as: UTF8.self) else {
            throw .frame("decode.utf8", "the name of the stream is not UTF-8")
        }
        lastTopic = StreamID(text)
        return lastTopic
    }
}

extension DecodeOptions {
    /// Returns the traits of the landmarks: those of the configuration, completed by those of the preset.
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
    /// Returns the same error with its byte offset increased by `count`: `byte 40` becomes `byte 47`.
    fileprivate func moved(by count: Int) -> PipelineError {
        guard count > 0, let location, location.hasPrefix("byte "), let byte = Int(location.dropFirst(5)) else {
            return self
        }
        var error = self
        error.location = "byte \(byte + count)"
        return error
    }
}
