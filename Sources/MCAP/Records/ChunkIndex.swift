/// The position and the contents of a chunk.
public struct ChunkIndex: Hashable, Sendable {
    /// The position of the message index of one channel.
    public struct IndexOffset: Hashable, Sendable {
        public var channelID: UInt16
        public var offset: UInt64

        public init(channelID: UInt16, offset: UInt64) {
            self.channelID = channelID
            self.offset = offset
        }
    }

    /// The earliest log time, in nanoseconds; 0 if the chunk has no messages.
    public var startTime: UInt64
    /// The latest log time, in nanoseconds; 0 if the chunk has no messages.
    public var endTime: UInt64
    /// The position of the chunk's record.
    public var chunkStart: UInt64
    /// The length of the chunk's record, including its opcode and length field.
    public var chunkLength: UInt64
    /// The positions of the chunk's message indexes, by channel.
    public var messageIndexOffsets: [IndexOffset]
    /// The total length of the chunk's message indexes, in bytes.
    public var messageIndexLength: UInt64
    public var compression: Compression
    /// The length of the compressed records, in bytes.
    public var compressedSize: UInt64
    /// The length of the uncompressed records, in bytes.
    public var uncompressedSize: UInt64

    init(_ header: ChunkHeader, start: UInt64, length: UInt64) {
        startTime = header.startTime
        endTime = header.endTime
        chunkStart = start
        chunkLength = length
        messageIndexOffsets = []
        messageIndexLength = 0
        compression = header.compression
        compressedSize = header.compressedSize
        uncompressedSize = header.uncompressedSize
    }

    init(reading fields: inout FieldReader) throws(MCAPError) {
        startTime = try fields.integer()
        endTime = try fields.integer()
        chunkStart = try fields.integer()
        chunkLength = try fields.integer()
        var offsets: [IndexOffset] = []
        try fields.pairs { (inner: inout FieldReader) throws(MCAPError) in
            offsets.append(IndexOffset(channelID: try inner.integer(), offset: try inner.integer()))
        }
        messageIndexOffsets = offsets
        messageIndexLength = try fields.integer()
        compression = Compression(rawValue: try fields.string())
        compressedSize = try fields.integer()
        uncompressedSize = try fields.integer()
    }

    func write(into buffer: inout ByteBuffer) {
        buffer.record(.chunkIndex) {
            $0.integer(startTime)
            $0.integer(endTime)
            $0.integer(chunkStart)
            $0.integer(chunkLength)
            $0.counted {
                for entry in messageIndexOffsets {
                    $0.integer(entry.channelID)
                    $0.integer(entry.offset)
                }
            }
            $0.integer(messageIndexLength)
            $0.string(compression.rawValue)
            $0.integer(compressedSize)
            $0.integer(uncompressedSize)
        }
    }
}
