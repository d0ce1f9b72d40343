import CZlib

/// A CRC-32 checksum, as zlib computes it.
struct Checksum: Sendable {
    private(set) var value: UInt32 = 0

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.baseAddress, !bytes.isEmpty else { return }
        value = UInt32(
            truncatingIfNeeded: crc32_z(uLong(value), base.assumingMemoryBound(to: UInt8.self), bytes.count))
    }

    static func of(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        var sum = Checksum()
        sum.add(bytes)
        return sum.value
    }

    static func of(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.withUnsafeBytes { of($0) } }
}
