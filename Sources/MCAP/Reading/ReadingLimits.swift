/// What a file may ask for. Sizes that a file declares are never trusted: what is larger is refused before it is allocated.
public struct ReadingLimits: Hashable, Sendable {
    /// The longest record.
    public var recordBytes: UInt64 = 1 << 30

    /// What any chunk may hold, unpacked, however small it is.
    public var chunkBytes: UInt64 = 32 << 20

    /// How many times its own size a chunk may hold that is larger than ``chunkBytes``.
    public var chunkRatio: UInt64 = 256

    public init() {}

    /// Whether a chunk may be unpacked.
    func check(_ header: ChunkHeader, at offset: UInt64) throws(MCAPError) {
        let size = header.uncompressedSize
        guard size > chunkBytes else { return }
        guard size <= recordBytes, size / chunkRatio <= header.compressedSize else {
            throw MCAPError(
                .tooLarge, "a chunk of \(header.compressedSize) bytes claims to hold \(size)", at: offset)
        }
    }
}
