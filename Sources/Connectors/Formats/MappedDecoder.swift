import Pipeline
import Stages

/// A decoder of messages that are not canonical. The `decode` options give the paths of the fields.
package struct MappedDecoder<P: WirePayload>: Sendable {
    /// Reads messages in JSON or MessagePack; `nil` for other formats.
    private var documents: SyntaxReader?
    /// Reads messages that are rows of text; `nil` for other formats.
    private var rows: TextMessages?
    /// Reads messages that are binary numbers; `nil` for other formats.
    private var numbers: RawNumbers?
    private let defaultStream: StreamID
    private var message: FieldMessage
    /// Numbers the frames of messages without a sequence number. If `nil`, these frames get ``StreamCounters/none``.
    private var counters: StreamCounters?
    private var lastStream: StreamID
    /// The paths that no message has had yet; `nil` if they are not watched.
    private var watched: WatchedPaths?

    /// Creates a decoder.
    ///
    /// - Parameters:
    ///   - options: The options, with the values of the preset filled in.
    ///   - defaultStream: The stream of messages that do not name one.
    ///   - landmarks: What the configuration and the preset declare about the landmarks.
    ///   - numbering: Numbers the frames of messages without a sequence number. If `nil`, these frames get ``StreamCounters/none``.
    ///   - watch: Finds out which paths lead to nothing; `nil` if nobody wants to know.
    package init(
        _ options: DecodeOptions, defaultStream: StreamID, landmarks: LandmarkTraits, numbering: StreamCounters?,
        watch: PathWatch? = nil
    ) throws {
        counters = numbering
        watched = watch.map { WatchedPaths($0) }
        switch options.format ?? .json {
        case .json: documents = try SyntaxReader(.json)
        case .msgpack: documents = try SyntaxReader(.messagePack)
        case .csv, .text: rows = TextMessages(options)
        case .float32, .float64: numbers = try RawNumbers(options)
        }
        message = FieldMessage(
            options, kind: P.kind, traits: landmarks, declared: FieldLister(P.self).declared)
        self.defaultStream = defaultStream
        lastStream = defaultStream
    }

    /// Decodes one message, like ``CanonicalDecoder/decode(_:stream:receivedAt:)``. O(bytes).
    @_specialize(where P == Stroke)
    @_specialize(where P == Hands)
    package mutating func decode(
        _ bytes: UnsafeRawBufferPointer, stream: StreamID? = nil, receivedAt: @autoclosure () -> Int64? = nil
    ) throws(PipelineError) -> DecodedMessage<P> {
        message.begin()
        switch documents {
        case .json(let reader):
            try reader.read(bytes, orForget: { message.begin() }) { reader throws(PipelineError) in
                try message.read(reader)
            }
        case .messagePack(let reader):
            try reader.read(bytes, orForget: { message.begin() }) { reader throws(PipelineError) in
                try message.read(reader)
            }
        case nil:
            try rows?.read(bytes, into: &message)
            try numbers?.read(bytes, into: &message)
        }
        let stream = stream ?? namedStream()
        let sequence = message.sequence
        if message.isEnd, !message.hasContent {
            counters?.forget(stream)
            return DecodedMessage(stream: stream, sequence: sequence, endsStream: true)
        }
        try message.requireContent()
        let receivedAt = message.time == nil ? receivedAt() : nil
        let isStamped = !message.hasAbsoluteSampleTimes && receivedAt != nil
        if isStamped { message.time = receivedAt }
        guard let payload = try P._mapping?(&message) else {
            if message.isEnd { counters?.forget(stream) }
            let time = Timestamp(rawValue: message.time ?? receivedAt ?? 0)
            return DecodedMessage(stream: stream, sequence: sequence, endsStream: message.isEnd, emptyAt: time)
        }
        guard let time = message.time.map({ Timestamp(rawValue: $0) }) ?? payload._ownTime, time.isValid else {
            throw .frame(
                "decode.missing", "the message has no time",
                help:
                    "set t to the path of the time; or set missing_time: receipt, to use the time of arrival; or, in files, set hz to the number of messages per second"
            )
        }
        let frame = Frame(
            payload, at: time, stream: stream, sequence: sequence ?? counters?.next(of: stream) ?? StreamCounters.none,
            origin: origin(receivedAt: receivedAt, isStamped: isStamped))
        if message.isEnd { counters?.forget(stream) }
        watched?.note(message)
        return DecodedMessage(frame: frame, stream: stream, sequence: sequence, endsStream: message.isEnd)
    }

    /// Returns what is known of a message that could not be decoded, as far as it was read before the error.
    package mutating func unread() -> UnreadMessage {
        UnreadMessage(
            stream: message.stream == nil ? nil : namedStream(), sequence: message.sequence, endsStream: message.isEnd)
    }

    private mutating func namedStream() -> StreamID {
        guard let name = message.stream else { return defaultStream }
        let stream = StreamID(name)
        if lastStream != stream { lastStream = stream }
        return lastStream
    }

    private func origin(receivedAt: Int64?, isStamped: Bool) -> Origin? {
        if !isStamped, message.unknown.isEmpty { return nil }
        return Origin(
            receivedAt: isStamped ? receivedAt : nil, isStamped: isStamped,
            clock: isStamped ? Origin.clockOfReceipt : nil,
            unknown: message.unknown)
    }
}
