/// The fields before the records of a chunk.
public struct ChunkHeader: Hashable, Sendable {
    /// The earliest log time, in nanoseconds; 0 if the chunk has no messages.
    public var startTime: UInt64
    /// The latest log time, in nanoseconds; 0 if the chunk has no messages.
    public var endTime: UInt64
    /// The length of the uncompressed records, in bytes.
    public var uncompressedSize: UInt64
    /// The CRC-32 of the uncompressed records; 0 if unknown.
    public var uncompressedCRC: UInt32
    /// The compression of the records.
    public var compression: Compression
    /// The length of the compressed records, in bytes.
    public var compressedSize: UInt64

    public init(
        startTime: UInt64, endTime: UInt64, uncompressedSize: UInt64, uncompressedCRC: UInt32,
        compression: Compression, compressedSize: UInt64
    ) {
        self.startTime = startTime
        self.endTime = endTime
        self.uncompressedSize = uncompressedSize
        self.uncompressedCRC = uncompressedCRC
        self.compression = compression
        self.compressedSize = compressedSize
    }

    /// Reads a header. Also returns the range of the compressed records in the content.
    static func read(
        _ fields: inout FieldReader
    ) throws(MCAPError) -> (header: ChunkHeader, records: Range<Int>) {
        let (start, end): (UInt64, UInt64) = (try fields.integer(), try fields.integer())
        let (size, crc): (UInt64, UInt32) = (try fields.integer(), try fields.integer())
        let compression = Compression(rawValue: try fields.string())
        let records = try fields.bytes(counted: UInt64.self)
        let header = ChunkHeader(
            startTime: start, endTime: end, uncompressedSize: size, uncompressedCRC: crc, compression: compression,
            compressedSize: UInt64(records.count))
        return (header, (fields.place - records.count)..<fields.place)
    }

    func write(into buffer: inout ByteBuffer, records: UnsafeRawBufferPointer) {
        buffer.record(.chunk) {
            $0.integer(startTime)
            $0.integer(endTime)
            $0.integer(uncompressedSize)
            $0.integer(uncompressedCRC)
            $0.string(compression.rawValue)
            $0.integer(UInt64(records.count))
            $0.append(records)
        }
    }
}
