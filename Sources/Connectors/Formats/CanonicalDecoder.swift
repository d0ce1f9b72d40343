import Pipeline
import Stages

/// A decoder of canonical messages. Each message is one JSON or MessagePack object.
package struct CanonicalDecoder<P: WirePayload>: Sendable {
    private let reader: SyntaxReader
    private let defaultStream: StreamID
    private let payloadKeys: WireKeys
    private let keys: WireKeys
    private var message: WireMessage
    /// Numbers the frames of messages without a sequence number. If `nil`, these frames get ``StreamCounters/none``.
    private var counters: StreamCounters?
    private var lastStream: StreamID

    /// Creates a decoder.
    ///
    /// - Parameters:
    ///   - syntax: The syntax of the messages.
    ///   - defaultStream: The stream of messages that do not name one.
    ///   - landmarks: What the configuration and the preset declare about the landmarks.
    ///   - numbering: Numbers the frames of messages without a sequence number. If `nil`, these frames get ``StreamCounters/none``.
    package init(
        _ syntax: DocumentSyntax = .json, defaultStream: StreamID, landmarks: LandmarkTraits = LandmarkTraits(),
        numbering: StreamCounters? = StreamCounters()
    ) throws {
        reader = try SyntaxReader(syntax)
        counters = numbering
        let fields = FieldLister(P.self)
        (payloadKeys, keys) = (fields.keys, fields.keys.union(.envelope))
        message = WireMessage(traits: landmarks, declared: fields.declared)
        self.defaultStream = defaultStream
        lastStream = defaultStream
    }

    /// Decodes one message. O(bytes).
    ///
    /// - Parameters:
    ///   - bytes: The message. ``JSONReader/padding`` readable bytes must follow it.
    ///   - stream: The stream of the message, for example its topic. It overrides the stream that the message names.
    ///   - receivedAt: The time of receipt, in microseconds of the receiver's monotonic clock. A message without a timestamp gets
    ///     this time. If it is `nil`, such a message is an error. The expression is evaluated only for such a message.
    /// - Throws: A frame error located by `byte N`; see `PipelineError.located(in:)`.
    // Callers in other modules would otherwise use the unspecialized function, which looks up type metadata for each message.
    @_specialize(where P == Stroke)
    @_specialize(where P == Hands)
    package mutating func decode(
        _ bytes: UnsafeRawBufferPointer, stream: StreamID? = nil, receivedAt: @autoclosure () -> Int64? = nil
    ) throws(PipelineError) -> DecodedMessage<P> {
        message.forget()
        do {
            switch reader {
            case .json(let reader):
                try reader.read(bytes, orForget: { message.forget() }) { reader throws(PipelineError) in
                    try message.read(reader, keys: keys)
                }
            case .messagePack(let reader):
                try reader.read(bytes, orForget: { message.forget() }) { reader throws(PipelineError) in
                    try message.read(reader, keys: keys)
                }
            }
        } catch {
            readEnvelope(of: bytes)
            throw error
        }
        try checkEnvelope()

        let stream = stream ?? namedStream()
        let given = message.value(.seq, message.sequence)
        let endsStream = message.value(.end, message.isEnd) ?? false
        let end = streamEnd
        let isQuiet = message.value(.quiet, message.isQuiet) ?? false
        if endsStream || isQuiet, message.present.intersection(payloadKeys).isEmpty, message.declared.isEmpty {
            if endsStream { counters?.forget(stream) }
            return DecodedMessage(stream: stream, sequence: given, endsStream: endsStream, end: end, isQuiet: isQuiet)
        }

        var payload = try P._read(&message)
        var isStamped = false
        let time: Timestamp
        if message.present.contains(.tUs) {
            time = Timestamp(rawValue: message.time)
        } else if message.present.contains(.startUs), let implied = payload._impliedTime {
            time = implied
        } else if let receivedAt = receivedAt() {
            // Reads the payload again with this timestamp, because other times in the payload are relative to it.
            message.time = receivedAt
            message.present.insert(.tUs)
            payload = try P._read(&message)
            time = Timestamp(rawValue: receivedAt)
            isStamped = true
        } else {
            throw .frame("decode.missing", "the key \"t_us\" is missing")
        }
        guard time.isValid else { throw message.wrong(.tUs, "decode.range", "a time lies between 0 and 2^53 − 1 µs") }

        let header = FrameHeader(
            timestamp: time, stream: stream, sequence: given ?? counters?.next(of: stream) ?? StreamCounters.none,
            origin: origin(stamp: isStamped ? time : nil))
        if endsStream { counters?.forget(stream) }
        return DecodedMessage(
            frame: Frame(consume payload, consume header), stream: stream, sequence: given, endsStream: endsStream,
            end: end)
    }

    private var streamEnd: StreamEnd {
        mutating get { message.value(.restarts, message.restarts) ?? false ? .restarts : .over }
    }

    /// Reads again what ``unread()`` returns, of a message with an error in a value. Other values are skipped, so keys after the
    /// error are found too.
    private mutating func readEnvelope(of bytes: UnsafeRawBufferPointer) {
        let keys = WireKeys(.kind, .stream, .seq, .end, .restarts, .quiet)
        message.forget()
        switch reader {
        case .json(let reader):
            if (try? reader.begin(bytes)) != nil { try? message.read(reader, keys: keys, keepsUnknown: false) }
        case .messagePack(let reader):
            if (try? reader.begin(bytes)) != nil { try? message.read(reader, keys: keys, keepsUnknown: false) }
        }
    }

    /// Returns what is known of a message that could not be decoded, as far as it could be read. A message of another kind ends no
    /// stream.
    package mutating func unread() -> UnreadMessage {
        let sequence = message.value(.seq, message.sequence)
        let kind = message.value(.kind, message.kind)
        let isQuiet = message.value(.quiet, message.isQuiet) ?? false
        return UnreadMessage(
            stream: message.present.contains(.stream) ? namedStream() : nil,
            sequence: sequence.flatMap { Self.numbers.contains($0) ? $0 : nil },
            kind: kind,
            endsStream: (message.value(.end, message.isEnd) ?? false) && !isQuiet
                && kind ?? P.kind.rawValue == P.kind.rawValue,
            end: streamEnd)
    }

    // JSON numbers are exact in this range.
    private static var numbers: ClosedRange<Int64> { 0...Timestamp.max.rawValue }

    private mutating func checkEnvelope() throws(PipelineError) {
        if message.present.contains(.seq), !Self.numbers.contains(message.sequence) {
            throw message.wrong(.seq, "decode.range", "a number lies between 0 and 2^53 − 1")
        }
        if message.present.contains(.recvUs), !Self.numbers.contains(message.receivedAt) {
            throw message.wrong(.recvUs, "decode.range", "a time of receipt lies between 0 and 2^53 − 1 µs")
        }
        if message.present.contains(.v), message.version != 1 {
            throw message.wrong(.v, "decode.version", "expected 1, found \(message.version)")
        }
        if message.present.contains(.kind), message.kind != P.kind.rawValue {
            var error = message.wrong(.kind, "decode.kind", "expected \"\(P.kind)\", found \"\(message.kind)\"")
            error.help = "a source reads frames of one kind, which its option kind sets"
            throw error
        }
    }

    /// Returns the stream that the message names, or else the default stream. Consecutive messages of a stream share one
    /// `StreamID`, because each new name longer than 15 bytes would be allocated on the heap.
    private mutating func namedStream() -> StreamID {
        guard message.present.contains(.stream) else { return defaultStream }
        let stream = StreamID(message.stream)
        if lastStream != stream { lastStream = stream }
        return lastStream
    }

    /// Returns the origin of the current message, or `nil` if there is nothing to record.
    ///
    /// - Parameter stamp: The time of receipt if the message has no timestamp; otherwise `nil`.
    private mutating func origin(stamp: Timestamp?) -> Origin? {
        // The time of receipt is recorded only if it is the frame's timestamp. Otherwise, the same messages would not always give
        // the same output bytes.
        let received = stamp?.rawValue ?? message.value(.recvUs, message.receivedAt)
        let clock = message.value(.clock, message.clock) ?? (stamp == nil ? nil : Origin.clockOfReceipt)
        let file = message.value(.file, message.file) ?? nil
        let line = message.value(.line, message.line) ?? nil
        if received == nil, clock == nil, file == nil, line == nil, message.unknown.isEmpty { return nil }
        return Origin(
            receivedAt: received, isStamped: stamp != nil, clock: clock, file: file, line: line,
            unknown: message.unknown)
    }
}
