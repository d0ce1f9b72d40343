#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension String {
    /// Whether it is these bytes. Quicker than to make a text of them, which is what most messages that repeat one need not do.
    @inline(__always)
    mutating func isSame(as bytes: UnsafeRawBufferPointer) -> Bool {
        withUTF8 { text in
            guard text.count == bytes.count else { return false }
            guard let text = text.baseAddress, let other = bytes.baseAddress else { return true }
            return memcmp(text, other, bytes.count) == 0
        }
    }
}
