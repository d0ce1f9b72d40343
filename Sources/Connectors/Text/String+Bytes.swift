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
        var seen: UInt64 = 0
        var at = 0
        while at &+ 8 <= count {
            seen |= loadUnaligned(fromByteOffset: at, as: UInt64.self)
            at &+= 8
        }
        while at < count {
            seen |= UInt64(self[at])
            at &+= 1
        }
        return seen & 0x8080_8080_8080_8080 == 0
    }
}
