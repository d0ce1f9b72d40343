#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension String {
    /// Returns whether the string consists of the given bytes. This is faster than creating a string from the bytes. Most messages
    /// repeat a string of the previous message, so that no new string is needed.
    @inline(__always)
    mutating func isSame(as bytes: UnsafeRawBufferPointer) -> Bool {
        withUTF8 { UnsafeRawBufferPointer($0).isSame(as: bytes) }
    }
}

extension UnsafeRawBufferPointer {
    /// Returns whether both buffers hold the same bytes.
    @inline(__always)
    func isSame(as other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard let own = baseAddress, let base = other.baseAddress else { return true }
        return memcmp(own, base, count) == 0
    }

    /// Whether all bytes are at most 0x7F. Checks eight bytes at a time.
    ///
    /// - Complexity: O(*n*), where *n* is the number of bytes.
    @inline(__always)
    var isASCII: Bool {
        // The last bytes are read with the bytes before them, so that no loop over single bytes is needed.
        guard count >= 8 else {
            guard count >= 4 else { return allSatisfy { $0 < 0x80 } }
            let ends = loadUnaligned(as: UInt32.self) | loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self)
            return ends & 0x8080_8080 == 0
        }
        var seen = loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
        var at = 0
        while at &+ 8 < count {
            seen |= loadUnaligned(fromByteOffset: at, as: UInt64.self)
            at &+= 8
        }
        return seen & 0x8080_8080_8080_8080 == 0
    }
}
