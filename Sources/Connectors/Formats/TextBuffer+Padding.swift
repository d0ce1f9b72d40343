extension TextBuffer {
    /// Lends what was written, with ``JSONReader/padding`` readable bytes behind it.
    package mutating func withPaddedBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        append(capacity: JSONReader.padding) { _ in 0 }
        return try withBytes(body)
    }
}
