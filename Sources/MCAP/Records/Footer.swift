/// The last record, with the position of the summary.
public struct Footer: Hashable, Sendable {
    /// The position of the summary; 0 if the file has none.
    public var summaryStart: UInt64

    /// The position of the summary offsets; 0 if the file has none.
    public var summaryOffsetStart: UInt64

    /// The CRC-32 from the beginning of the summary up to this field; 0 if unknown.
    public var summaryCRC: UInt32

    static let contentSize = 20

    public init(summaryStart: UInt64, summaryOffsetStart: UInt64, summaryCRC: UInt32) {
        self.summaryStart = summaryStart
        self.summaryOffsetStart = summaryOffsetStart
        self.summaryCRC = summaryCRC
    }

    init(reading fields: inout FieldReader) throws(MCAPError) {
        summaryStart = try fields.integer()
        summaryOffsetStart = try fields.integer()
        summaryCRC = try fields.integer()
        guard fields.remaining == 0 else {
            throw MCAPError(.malformed, "the footer is too long", at: fields.offset)
        }
    }

    func write(into buffer: inout ByteBuffer) {
        buffer.record(.footer) {
            $0.integer(summaryStart)
            $0.integer(summaryOffsetStart)
            $0.integer(summaryCRC)
        }
    }
}
