/// The compression of the records of a chunk.
public struct Compression: RawRepresentable, Hashable, Sendable {
    /// The name of the compression in MCAP files.
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// The records are not compressed.
    public static let none = Compression(rawValue: "")
    /// Zstandard.
    public static let zstd = Compression(rawValue: "zstd")
    /// LZ4 in its frame format.
    public static let lz4 = Compression(rawValue: "lz4")
}
