/// The largest sizes that a reader accepts. It refuses a larger declared size before it allocates memory, because a damaged file
/// can declare any size.
public struct ReadingLimits: Hashable, Sendable {
    /// The largest record, and the largest chunk after decompression, in bytes.
    public var recordBytes: UInt64 = 1 << 30

    /// The uncompressed size, in bytes, up to which a chunk is always accepted, however small it is when compressed.
    public var chunkBytes: UInt64 = 32 << 20

    /// The largest compression ratio of a chunk whose uncompressed size exceeds ``chunkBytes``.
    public var chunkRatio: UInt64 = 256

    public init() {}

    /// Throws if a chunk is too large to be decompressed.
    func check(_ header: ChunkHeader, at offset: UInt64) throws(MCAPError) {
        let size = header.uncompressedSize
        guard size > chunkBytes else { return }
        let most = header.compressedSize.multipliedReportingOverflow(by: chunkRatio)
        guard size <= recordBytes, most.overflow || size <= most.partialValue else {
            throw MCAPError(
                .tooLarge, "a chunk of \(header.compressedSize) bytes claims to hold \(size)", at: offset)
        }
    }
}
