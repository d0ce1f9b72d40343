import Pipeline

/// One thing read from a file or a pipe.
enum ReadItem<P: Payload> {
    /// A frame.
    case frame(Frame<P>)

    /// Something that could not be read, and the stream it belongs to, if known.
    case failure(PipelineError, StreamID)

    /// The end of a stream.
    case end(StreamID)
}

/// Reads canonical JSON, one object a line, into frames.
// Belongs to one source, which calls it from one thread at a time.
final class JSONLines<P: WirePayload>: @unchecked Sendable {
    let lines: LineReader
    private let name: String
    private let clock: (any RunClock)?
    private var decoder: CanonicalDecoder<P>
    /// What the line that could not be read last says of its stream and number.
    private(set) var unread: (stream: StreamID?, sequence: Int64?) = (nil, nil)
    private var pendingEnd: StreamID?
    private var hasBegun = false
    private var isOver = false

    /// Reads lines.
    ///
    /// - Parameters:
    ///   - name: What errors call the input.
    ///   - landmarks: What is known of landmarks beside what lines say.
    ///   - clock: What stamps lines without a timestamp; without it they are errors.
    init(
        _ lines: LineReader, name: String, defaultStream: StreamID, landmarks: LandmarkTraits = LandmarkTraits(),
        clock: (any RunClock)? = nil
    ) throws {
        self.lines = lines
        self.name = name
        self.clock = clock
        decoder = try CanonicalDecoder(defaultStream: defaultStream, landmarks: landmarks)
    }

    /// Whether the next item can be had without waiting for input.
    var hasItem: Bool { pendingEnd != nil || lines.hasLine }

    /// The next item; `nil` at the end. Empty lines are passed over.
    func next() throws(SystemError) -> ReadItem<P>? {
        if let stream = pendingEnd {
            pendingEnd = nil
            return .end(stream)
        }
        if !hasBegun {
            hasBegun = true
            if let error = binaryError(in: try lines.peek()) {
                isOver = true
                return .failure(error.located(in: name), "")
            }
        }
        while !isOver, let line = try lines.next() {
            guard case .bytes(let bytes) = line else {
                unread = (nil, nil)
                return .failure(
                    located(
                        .frame(
                            "decode.line_too_long", "longer than max_line_bytes",
                            help: "raise max_line_bytes if such lines are meant")), "")
            }
            if bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { continue }
            do {
                let message = try decoder.decode(bytes, receivedAt: clock.map { $0.now / 1000 })
                guard let frame = message.frame else { return .end(message.stream) }
                if message.endsStream { pendingEnd = message.stream }
                return .frame(frame)
            } catch {
                unread = decoder.unread()
                return .failure(located(error), unread.stream ?? "")
            }
        }
        return nil
    }

    private func located(_ error: PipelineError) -> PipelineError {
        error.located(in: "\(name), line \(lines.lineNumber)")
    }
}

/// What is wrong with the first bytes of an input if it is no text; `nil` when it looks like text.
///
/// Text has no zero bytes; the first 8 KiB of what is not text nearly always have one.
func binaryError(in head: UnsafeRawBufferPointer) -> PipelineError? {
    if head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF]) {
        return .frame("decode.binary", "text in UTF-16", help: "write it as UTF-8")
    }
    guard head.prefix(8192).contains(0) else { return nil }
    return .frame("decode.binary", "a binary file, not text")
}
