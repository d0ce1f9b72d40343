#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension String {
    /// Whether it is these bytes. Quicker than to make a text of them, which is what most messages that repeat one need not do.
    @inline(__always)
    mutating func isSame(as bytes: UnsafeRawBufferPointer) -> Bool {
        withUTF8 { UnsafeRawBufferPointer($0).isSame(as: bytes) }
    }
}

extension UnsafeRawBufferPointer {
    /// Whether both hold the same bytes.
    @inline(__always)
    func isSame(as other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard let own = baseAddress, let base = other.baseAddress else { return true }
        return memcmp(own, base, count) == 0
    }

    /// Whether no byte is above 0x7F, eight at a time. O(bytes).
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
