/// How a file is written.
public struct WriterOptions: Hashable, Sendable {
    /// What the messages follow.
    public var profile = ""
    /// Which program writes.
    public var library = ""
    /// How large the records of a chunk grow before it is written; `nil` for a file without chunks.
    public var chunkSize: Int? = 256 << 10
    /// How chunks are packed.
    public var compression = Compression.zstd
    /// Whether checksums are written.
    public var checksums = true
    /// Whether every chunk repeats the schemas and channels of its messages, so that it can be read when those before are lost.
    public var selfContainedChunks = false
    /// Whether there is an index of the messages behind every chunk.
    public var messageIndexes = true
    /// Which groups of records are in the summary.
    public var summary = Summary.all
    /// Whether the summary tells where its groups are.
    public var summaryOffsets = true

    public init() {}

    /// Groups of records of a summary.
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
