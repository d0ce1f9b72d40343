import CZlib

/// The content of one part of a compressed file: a gzip member or a Zstandard frame. It knows the bytes that end the part
/// early, at a place where the compressor has written out everything.
struct CompressedPart: Sendable {
    private let packing: FileCompression
    private var checksum: UInt = 0
    private var digest = XXH64()

    /// The number of decompressed bytes.
    private(set) var count: Int64 = 0

    /// Creates an empty part.
    init(_ packing: FileCompression) { self.packing = packing }

    /// Adds decompressed bytes.
    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress, !bytes.isEmpty else { return }
        count += Int64(bytes.count)
        switch packing {
        case .gzip: checksum = crc32_z(checksum, start.assumingMemoryBound(to: UInt8.self), bytes.count)
        case .zstd: digest.add(bytes)
        }
    }

    /// Returns the bytes that end the part: an empty last block, and the checksum.
    ///
    /// - Parameter hasChecksum: Whether the header of a Zstandard frame promises a checksum. A gzip member always has one.
    func ending(hasChecksum: Bool = true) -> [UInt8] {
        func bytes(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }
        switch packing {
        // RFC 1952, 2.3: the checksum and the size follow the last block.
        case .gzip:
            return [0x03, 0x00] + bytes(UInt32(truncatingIfNeeded: checksum))
                + bytes(UInt32(truncatingIfNeeded: count))
        // RFC 8878, 3.1.1: a raw block of no bytes that is the last one.
        case .zstd:
            return [0x01, 0x00, 0x00] + (hasChecksum ? bytes(UInt32(truncatingIfNeeded: digest.digest)) : [])
        }
    }
}
