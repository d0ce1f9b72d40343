import Pipeline

/// How a sink writes frames to a file or a pipe.
public enum TextFormat: String, OptionChoice {
    /// One aligned line a frame, for a person to read.
    case pretty
    /// Canonical JSON, one object a line.
    case jsonl
    /// The same objects in MessagePack, one behind the other.
    case msgpack
    /// Comma-separated values with a header line.
    case csv
}

/// Writes frames into a buffer, which a sink empties when it is full.
struct FrameText<P: WireEncodable>: Sendable {
    private let format: TextFormat
    private let encoder: CanonicalEncoder
    private var packed: MessageEncoder?
    private var prefix = TextBuffer(capacity: 128)
    private var wantsHeader: Bool

    /// What has been written and not yet taken.
    private(set) var buffer = TextBuffer(capacity: Self.threshold)

    private static var threshold: Int { 1 << 16 }

    /// Whether it is time to empty it.
    var isFull: Bool { buffer.count >= Self.threshold }

    /// Writes in a format; CSV begins with a header unless it is added to a file that has one.
    init(_ format: TextFormat, hasHeader: Bool = false, receipt: CanonicalEncoder.Receipt = .asRead) {
        self.format = format
        encoder = CanonicalEncoder(receipt: receipt)
        packed = format == .msgpack ? MessageEncoder(.msgpack, receipt: receipt) : nil
        wantsHeader = format == .csv && !hasHeader
    }

    /// Writes a frame.
    ///
    /// - Throws: A frame error for a number that is not finite; nothing is written then.
    mutating func add(_ frame: Frame<P>) throws {
        if wantsHeader {
            buffer.literal("stream,seq,t_us,")
            buffer.plain(P.columns)
            buffer.byte(0x0A)
            wantsHeader = false
        }
        let before = buffer.count
        switch format {
        case .jsonl:
            try encoder.encode(frame, into: &buffer)
            buffer.byte(0x0A)
        case .msgpack:
            try packed?.encode(frame)
            try packed?.withMessage { buffer.plain($0) }
        case .csv:
            if let defect = frame.payload.encodingDefect { throw PipelineError.frame("encode.counts", defect) }
            prefix.clear()
            prefix.cell(frame.stream.name)
            prefix.byte(UInt8(ascii: ","))
            prefix.integer(frame.sequence)
            prefix.byte(UInt8(ascii: ","))
            prefix.integer(frame.timestamp.rawValue)
            prefix.byte(UInt8(ascii: ","))
            frame.payload.encodeRows(prefix, into: &buffer)
            if buffer.hasNonFinite {
                buffer.truncate(to: before)
                throw PipelineError.frame("encode.not_finite", "a \(P.kind) holds a number that is not finite")
            }
        case .pretty:
            let seconds = String(frame.timestamp.rawValue / 1_000_000)
            for _ in 0..<max(0, 6 - seconds.count) { buffer.byte(0x20) }
            buffer.fixed(Double(frame.timestamp.rawValue) / 1e6, decimals: 3)
            buffer.literal(" s  ")
            buffer.aligned(frame.stream.name, width: 12)
            buffer.literal("  ")
            frame.payload.summarize(into: &buffer)
            buffer.byte(0x0A)
        }
    }

    /// Writes all that it holds to a descriptor, and forgets it whether that succeeds or not.
    mutating func empty(into descriptor: Int32) throws(SystemError) {
        guard buffer.count > 0 else { return }
        defer { buffer.clear() }
        try buffer.withBytes { SystemCalls.write(descriptor, $0) }.get()
    }
}

extension TextBuffer {
    /// Writes text for a person, with blanks behind it up to a width.
    mutating func aligned(_ text: String, width: Int) {
        let shown = text.shown
        plain(shown)
        for _ in 0..<max(0, width - shown.count) { byte(0x20) }
    }
}
