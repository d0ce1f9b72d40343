/// The position of a group in the summary. A group consists of all records with the same opcode.
public struct SummaryOffset: Hashable, Sendable {
    /// The opcode of the records.
    public var group: Opcode
    /// The position of the first of these records in the file.
    public var start: UInt64
    /// The total length of these records, in bytes.
    public var length: UInt64

    init(group: Opcode, start: UInt64, length: UInt64) {
        self.group = group
        self.start = start
        self.length = length
    }

    init(reading fields: inout FieldReader) throws(MCAPError) {
        group = Opcode(rawValue: try fields.integer())
        start = try fields.integer()
        length = try fields.integer()
    }

    func write(into buffer: inout ByteBuffer) {
        buffer.record(.summaryOffset) {
            $0.integer(group.rawValue)
            $0.integer(start)
            $0.integer(length)
        }
    }
}
