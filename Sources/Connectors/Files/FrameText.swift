import Pipeline
import PipelineComponents

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

    /// Where in the buffer each frame ends; a header belongs to the frame behind it.
    private var ends: [Int] = []

    /// Whether the buffer begins with a header.
    private var beginsWithHeader = false

    /// How many bytes at the beginning of the buffer are the rest of something that was cut off and could not be taken back.
    private var remainder = 0

    /// How many frames it holds.
    var count: Int { ends.count }

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
            beginsWithHeader = true
            buffer.literal("stream,seq,t_us,")
            buffer.plain(P._columns)
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
            if let defect = frame.payload._encodingDefect { throw PipelineError.frame("encode.counts", defect) }
            prefix.clear()
            prefix.cell(frame.stream.name)
            prefix.byte(UInt8(ascii: ","))
            prefix.integer(frame.sequence)
            prefix.byte(UInt8(ascii: ","))
            prefix.integer(frame.timestamp.rawValue)
            frame.payload._encodeRows(prefix, into: &buffer)
            if buffer.hasNonFinite {
                buffer.truncate(to: before)
                throw PipelineError.frame("encode.not_finite", "a \(P.kind) holds a number that is not finite")
            }
        case .pretty:
            buffer.prettyLine(frame)
        }
        ends.append(buffer.count)
    }

    /// Writes all that it holds to a descriptor.
    ///
    /// - Throws: The system's error. What was written of the frame at which it came is taken back, where that can be; that
    ///   frame and those behind it are still held.
    mutating func empty(into descriptor: Int32) throws(SystemError) {
        try empty(
            writing: { SystemCalls.writeAsMuchAsPossible(descriptor, $0) },
            takingBack: { SystemCalls.takeBack($0, from: descriptor) })
    }

    /// The same, whatever is written to.
    ///
    /// - Parameters:
    ///   - write: Writes bytes; returns how many, and the error that came.
    ///   - takeBack: Takes back so many bytes that were written last; returns whether that could be.
    mutating func empty(
        writing write: (UnsafeRawBufferPointer) -> (count: Int, error: SystemError?), takingBack takeBack: (Int) -> Bool
    ) throws(SystemError) {
        guard buffer.count > 0 else { return }
        let (written, error) = buffer.withBytes { write($0) }
        guard let error else {
            buffer.clear()
            ends.removeAll(keepingCapacity: true)
            (beginsWithHeader, remainder) = (false, 0)
            return
        }
        let whole = ends.prefix { $0 <= written }.count
        var done = max(whole > 0 ? ends[whole - 1] : 0, min(written, remainder))
        remainder = max(0, remainder - done)
        if written > done, !takeBack(written - done) {
            // The reader of the pipe has the beginning, so the rest must follow first.
            remainder = whole < ends.count ? ends[whole] - written : 0
            done = written
        }
        if done > 0 { beginsWithHeader = false }
        buffer.removeFirst(done)
        ends = ends.dropFirst(whole).map { $0 - done }
        throw error
    }

    /// Forgets the frames that it holds.
    mutating func discard() {
        buffer.truncate(to: remainder)
        ends = []
        if beginsWithHeader { (wantsHeader, beginsWithHeader) = (true, false) }
    }
}

extension TextBuffer {
    /// Writes a frame for a person: the time, the stream and what matters of it, on a line.
    package mutating func prettyLine<P: WireEncodable>(_ frame: Frame<P>) {
        let seconds = String(frame.timestamp.rawValue / 1_000_000)
        for _ in 0..<max(0, 6 - seconds.count) { byte(0x20) }
        fixed(Double(frame.timestamp.rawValue) / 1e6, decimals: 3)
        literal(" s  ")
        aligned(frame.stream.name, width: 12)
        literal("  ")
        frame.payload._summarize(into: &self)
        byte(0x0A)
    }

    /// Writes text for a person, with blanks behind it up to a width.
    mutating func aligned(_ text: String, width: Int) {
        let shown = text.shown
        plain(shown)
        for _ in 0..<max(0, width - shown.count) { byte(0x20) }
    }
}
