/// The end of the messages.
public struct DataEnd: Hashable, Sendable {
    /// CRC-32 of the file up to here; 0 when not known.
    public var dataSectionCRC: UInt32

    public init(dataSectionCRC: UInt32) { self.dataSectionCRC = dataSectionCRC }

    init(reading fields: inout FieldReader) throws(MCAPError) {
        dataSectionCRC = try fields.integer()
        guard fields.remaining == 0 else {
            throw MCAPError(.malformed, "the end of the data is longer than such records are", at: fields.offset)
        }
    }

    func write(into buffer: inout ByteBuffer) {
        buffer.record(.dataEnd) { $0.integer(dataSectionCRC) }
    }
}
