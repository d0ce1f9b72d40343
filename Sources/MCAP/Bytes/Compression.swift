/// How the records of a chunk are packed.
public struct Compression: RawRepresentable, Hashable, Sendable {
    /// What files call it.
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// They stand as they are.
    public static let none = Compression(rawValue: "")
    /// Zstandard.
    public static let zstd = Compression(rawValue: "zstd")
    /// LZ4 in its frame format.
    public static let lz4 = Compression(rawValue: "lz4")
}
