/// The options of a ``Writer``.
public struct WriterOptions: Hashable, Sendable {
    /// The profile that the messages conform to.
    public var profile = ""
    /// The name of the program that writes the file.
    public var library = ""
    /// The size of the uncompressed records at which a chunk is written, in bytes; `nil` for a file without chunks.
    public var chunkSize: Int? = 256 << 10
    /// The compression of chunks.
    public var compression = Compression.zstd
    /// Whether checksums are written.
    public var checksums = true
    /// Whether every chunk repeats the schemas and channels of its messages, so that it can be read even if earlier chunks are
    /// lost.
    public var selfContainedChunks = false
    /// Whether a message index follows every chunk.
    public var messageIndexes = true
    /// The groups of records that the summary contains.
    public var summary = Summary.all
    /// Whether the file contains the positions of the summary's groups.
    public var summaryOffsets = true

    public init() {}

    /// Groups of records in a summary.
    public struct Summary: OptionSet, Hashable, Sendable {
        public let rawValue: UInt8

        public init(rawValue: UInt8) { self.rawValue = rawValue }

        public static let schemas = Summary(rawValue: 1)
        public static let channels = Summary(rawValue: 2)
        public static let statistics = Summary(rawValue: 4)
        public static let chunkIndexes = Summary(rawValue: 8)
        public static let attachmentIndexes = Summary(rawValue: 16)
        public static let metadataIndexes = Summary(rawValue: 32)
        public static let all: Summary = [
            .schemas, .channels, .statistics, .chunkIndexes, .attachmentIndexes, .metadataIndexes,
        ]
    }
}
