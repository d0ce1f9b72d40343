import Pipeline
import PipelineComponents

/// The format in which a sink writes frames to a file or a pipe.
public enum TextFormat: String, OptionChoice {
    /// One aligned, human-readable line per frame.
    case pretty
    /// Canonical JSON, one object per line.
    case jsonl
    /// The same objects in MessagePack, one after the other.
    case msgpack
    /// Comma-separated values with a header line.
    case csv
}

/// A buffer of encoded frames, which the sink writes out when it is full.
struct FrameText<P: WireEncodable>: Sendable {
    private let format: TextFormat
    private let encoder: CanonicalEncoder
    private var packed: MessageEncoder?
    private var prefix = TextBuffer(capacity: 128)
    private var wantsHeader: Bool

    /// What the rows of a frame in a table begin with.
    private struct Key: Equatable {
        let stream: StreamID
        let sequence: Int64
        let timestamp: Timestamp
    }

    /// What the rows of the last frame begin with.
    private var last: Key?

    /// Whether the file may end with rows that begin like those of the next frame.
    private var mayContinue: Bool

    /// The end offset of each frame in the buffer. A header counts as part of the frame after it.
    private var ends: [Int] = []

    /// Whether the buffer begins with a header.
    private var beginsWithHeader = false

    /// The number of bytes at the beginning of the buffer that complete a partially written frame. They must be written before
    /// anything else, because the written part could not be removed from the output.
    private var remainder = 0

    /// The number of frames in the buffer.
    var count: Int { ends.count }

    /// The encoded frames that have not been written out yet.
    private(set) var buffer = TextBuffer(capacity: Self.threshold)

    private static var threshold: Int { 1 << 16 }

    /// Whether the buffer should be written out.
    var isFull: Bool { buffer.count >= Self.threshold }

    /// Creates a buffer for a format. CSV begins with a header, unless the frames are appended to a file that has one.
    init(_ format: TextFormat, hasHeader: Bool = false, receipt: CanonicalEncoder.Receipt = .asRead) {
        self.format = format
        encoder = CanonicalEncoder(receipt: receipt)
        packed = format == .msgpack ? MessageEncoder(.msgpack, receipt: receipt) : nil
        wantsHeader = format == .csv && !hasHeader
        mayContinue = hasHeader
    }

    /// Writes the header of a table, with a line feed.
    static func writeHeader(into buffer: inout TextBuffer) {
        var prefix = TextBuffer(capacity: 32)
        prefix.literal("stream,seq,t_us")
        buffer.cells = .names
        P._write(rowsOf: nil, prefix, into: &buffer)
        buffer.cells = .values
    }

    /// Encodes a frame into the buffer.
    ///
    /// - Throws: A frame error if the frame cannot be encoded, for example because a number is not finite. The frame is not added
    ///   in that case.
    mutating func add(_ frame: Frame<P>) throws {
        if wantsHeader {
            beginsWithHeader = true
            Self.writeHeader(into: &buffer)
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
            let key = Key(stream: frame.stream, sequence: frame.sequence, timestamp: frame.timestamp)
            // An empty row keeps frames apart whose rows begin in the same way; see `WrittenRows`.
            if mayContinue || key == last, WrittenRows.canRead(P.kind) { buffer.byte(0x0A) }
            prefix.clear()
            prefix.cell(frame.stream.name)
            prefix.byte(UInt8(ascii: ","))
            prefix.integer(frame.sequence)
            prefix.byte(UInt8(ascii: ","))
            prefix.integer(frame.timestamp.rawValue)
            P._write(rowsOf: frame.payload, prefix, into: &buffer)
            if buffer.hasNonFinite {
                buffer.truncate(to: before)
                throw PipelineError.frame("encode.not_finite", "a \(P.kind) holds a number that is not finite")
            }
            (last, mayContinue) = (key, false)
        case .pretty:
            buffer.prettyLine(frame)
        }
        ends.append(buffer.count)
    }

    /// Writes the whole buffer to a descriptor.
    ///
    /// - Throws: The system's error. If a frame was written partially, that part is removed from the output if possible. That frame
    ///   and all later ones stay in the buffer.
    mutating func empty(into descriptor: Int32) throws(SystemError) {
        try empty(
            writing: { SystemCalls.writeAsMuchAsPossible(descriptor, $0) },
            takingBack: { SystemCalls.takeBack($0, from: descriptor) })
    }

    /// Writes the whole buffer to any output.
    ///
    /// - Parameters:
    ///   - write: Writes bytes. Returns the number of bytes written and, if these are not all, the error.
    ///   - takeBack: Removes the last bytes from the output. Returns whether that was possible.
    mutating func empty(
        writing write: (UnsafeRawBufferPointer) -> (count: Int, error: SystemError?), takingBack takeBack: (Int) -> Bool
    ) throws(SystemError) {
        guard buffer.count > 0 else {
            // Frames without rows, such as sets of hands without a hand, have no bytes.
            return ends.removeAll(keepingCapacity: true)
        }
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
            // The reader of the pipe has received the beginning of the frame, so the rest must be written before anything else.
            remainder = whole < ends.count ? ends[whole] - written : 0
            done = written
        }
        if done > 0 { beginsWithHeader = false }
        buffer.removeFirst(done)
        ends = ends.dropFirst(whole).map { $0 - done }
        throw error
    }

    /// Discards the frames in the buffer, except for the rest of a partially written one.
    mutating func discard() {
        buffer.truncate(to: remainder)
        ends = []
        // The rows before the discarded frames may begin like those of the next frame.
        mayContinue = true
        if beginsWithHeader { (wantsHeader, beginsWithHeader) = (true, false) }
    }
}

extension TextBuffer {
    /// Writes a human-readable line for a frame: its time, its stream and a summary of its payload.
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

    /// Writes printable text, padded with trailing blanks to a width.
    mutating func aligned(_ text: String, width: Int) {
        let shown = text.shown
        plain(shown)
        for _ in 0..<max(0, width - shown.count) { byte(0x20) }
    }
}
