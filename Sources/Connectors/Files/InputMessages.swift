import Pipeline

/// A decoder of the messages in a file or a pipe: one message per line or, in MessagePack, one after the other.
// `@unchecked Sendable`: one thread at a time uses a decoder, either that of its source or one that decodes blocks for it.
final class InputMessages<P: WirePayload>: @unchecked Sendable {
    let lines: LineReader
    let origins: FileOrigins
    private let clock: (any RunClock)?
    /// The rate of messages without a timestamp, in messages per second, if it is configured.
    private let hz: Double?
    /// Counts the messages of other kinds, which are skipped; `nil` if they are errors.
    private let others: OtherKinds?
    /// The number of messages whose timestamps were computed from their position and `hz`.
    private var count = 0
    /// Whether the messages are MessagePack instead of lines of text.
    let isBinary: Bool
    @exclusivity(unchecked) private var decoder: MessageDecoder<P>
    /// The header of the last message that could not be read.
    private(set) var unread = UnreadMessage()
    /// The stream that the last message ends. Its end is the next item, after the frame of that message.
    private var pendingEnd: ReadItem<P>?
    private var hasBegun = false
    private var isOver = false

    /// Creates a decoder of messages.
    ///
    /// - Parameters:
    ///   - origins: The names of the input in frames and errors, and whether frames carry the number of their line or message.
    ///   - decode: How messages are decoded.
    ///   - landmarks: The known traits of landmarks, in addition to those that messages declare.
    ///   - clock: The clock that stamps messages without a timestamp, if `decode` asks for that.
    ///   - watch: Finds out which paths of `decode` lead to nothing; `nil` if nobody wants to know.
    ///   - others: Counts the messages of other kinds, which are skipped; `nil` if they are errors.
    ///   - numbering: The counters that number frames whose messages have no number. `nil` if the caller numbers them.
    init(
        _ lines: LineReader, origins: FileOrigins, decode: DecodeOptions = DecodeOptions(),
        defaultStream: StreamID,
        landmarks: LandmarkTraits = LandmarkTraits(), clock: (any RunClock)? = nil, watch: PathWatch? = nil,
        others: OtherKinds? = nil, numbering: StreamCounters? = StreamCounters()
    ) throws {
        self.others = others
        self.lines = lines
        self.origins = origins
        self.clock = decode.missingTime == .receipt ? clock : nil
        hz = decode.hz
        decoder = try MessageDecoder(
            decode, defaultStream: defaultStream, landmarks: landmarks, numbering: numbering, watch: watch)
        isBinary = decoder.format == .msgpack
    }

    /// Whether the next item is available without waiting for input.
    var hasItem: Bool { pendingEnd != nil || (isBinary ? lines.hasDocument : lines.hasLine) }

    /// Returns the next item, or `nil` at the end. Empty lines are skipped.
    func next() throws(SystemError) -> ReadItem<P>? {
        if let end = pendingEnd.take() { return end }
        if !hasBegun {
            hasBegun = true
            let head = try lines.peek()
            if let error = isBinary ? (beginsPickle(head) ? pickleError : nil) : binaryError(in: head) {
                isOver = true
                return .failure(located(error, nil), "")
            }
        }
        while let found = try nextMessage() {
            switch found {
            case .message(let message):
                if message.isQuiet { continue }
                let end = ReadItem<P>.end(message.stream, message.end)
                if message.endsStream, message.frame != nil || message.emptyAt != nil { pendingEnd = end }
                if let frame = message.frame { return .frame(origins.recording(frame, line: lines.lineNumber)) }
                if let time = message.emptyAt { return .empty(message.stream, time, message.sequence ?? 0) }
                return end
            case .failure(let error): return .failure(located(error, lines.lineNumber), unread.stream ?? "")
            }
        }
        return nil
    }

    /// Decodes all messages of a block that another reader has cut.
    ///
    /// - Returns: For each failure in the batch, the number of its line or message in the block; the same for each frame if frames
    ///   carry their origins; and the total number of lines or messages.
    func read(_ block: InputBlock, into batch: inout SourceBatch<P>) -> (
        failed: [Int], originNumbers: [Int], count: Int
    ) {
        lines.begin(block)
        isOver = false
        var (failed, originNumbers): ([Int], [Int]) = ([], [])
        // The block is in memory, so reading cannot fail before its end.
        while let found = try? nextMessage() {
            // Moves the frame into the batch: a copy would retain and release every reference in it.
            switch consume found {
            case .message(var message):
                if message.isQuiet { continue }
                if let frame = message.frame.take() {
                    batch.append(consume frame)
                    if origins.areRecorded { originNumbers.append(lines.lineNumber) }
                } else if let time = message.emptyAt {
                    batch.drop(stream: message.stream, at: time, sequence: message.sequence ?? 0, .empty)
                }
                if message.endsStream { batch.append(.end(message.stream, message.end)) }
            case .failure(let error):
                batch.fail(error, stream: unread.stream ?? "")
                failed.append(lines.lineNumber)
            }
        }
        return (failed, originNumbers, lines.lineNumber)
    }

    /// Returns the error with its location: the path of the input and, if `number` is given, the number of the line or message.
    func located(_ error: PipelineError, _ number: Int?) -> PipelineError {
        error.located(in: number.map { "\(origins.path), \(isBinary ? "message" : "line") \($0)" } ?? origins.path)
    }

    private enum Found {
        case message(DecodedMessage<P>)
        case failure(PipelineError)
    }

    @inline(__always)
    private func nextMessage() throws(SystemError) -> Found? {
        while !isOver, let line = try nextBytes() {
            guard case .bytes(let bytes) = line else {
                unread = UnreadMessage()
                return .failure(
                    .frame(
                        "decode.line_too_long", "longer than max_line_bytes",
                        help: "raise max_line_bytes if lines of this length are intended"))
            }
            if !isBinary, bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { continue }
            do {
                return .message(try read(bytes))
            } catch {
                unread = decoder.unread()
                if let others, others.skips(error, unread.kind) { continue }
                guard lines.isBroken else { return .failure(error) }
                var error = error
                let start = lines.bytesRead - Int64(bytes.count)
                error.message += "; the input cannot be read from byte \(start) on"
                return .failure(error)
            }
        }
        return nil
    }

    private func read(_ bytes: UnsafeRawBufferPointer) throws(PipelineError) -> DecodedMessage<P> {
        guard let hz else { return try decoder.decode(bytes, receivedAt: clock.map { $0.now / 1000 }) }
        defer { count += 1 }
        let place = min((Double(count) * 1e6 / hz).rounded(), 9e15)
        var message = try decoder.decode(bytes, receivedAt: Int64(place))
        // The timestamp was computed from the message's position, so it must not count as an arrival time.
        message.forgetStamp()
        return message
    }

    private func nextBytes() throws(SystemError) -> LineReader.Line? {
        guard isBinary else { return try lines.next() }
        let message = try lines.nextDocument()
        // After bytes that are not MessagePack, the beginning of the next message cannot be found.
        if lines.isBroken { isOver = true }
        return message
    }
}
