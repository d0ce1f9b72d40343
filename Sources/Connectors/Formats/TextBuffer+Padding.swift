extension TextBuffer {
    /// Lends the written bytes to `body`, with ``JSONReader/padding`` readable bytes after them.
    package mutating func withPaddedBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        append(capacity: JSONReader.padding) { _ in 0 }
        return try withBytes(body)
    }
}
