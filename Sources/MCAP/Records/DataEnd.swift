/// The record that ends the data section.
public struct DataEnd: Hashable, Sendable {
    /// The CRC-32 of the file up to this record; 0 if unknown.
    public var dataSectionCRC: UInt32

    public init(dataSectionCRC: UInt32) { self.dataSectionCRC = dataSectionCRC }

    init(reading fields: inout FieldReader) throws(MCAPError) {
        dataSectionCRC = try fields.integer()
        guard fields.remaining == 0 else {
            throw MCAPError(.malformed, "the record that ends the data is too long", at: fields.offset)
        }
    }

    func write(into buffer: inout ByteBuffer) {
        buffer.record(.dataEnd) { $0.integer(dataSectionCRC) }
    }
}
