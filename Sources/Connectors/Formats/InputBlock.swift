/// A block of an input that ends where a line or a document ends.
struct InputBlock: Sendable {
    /// The memory that holds the block, with ``JSONReader/padding`` readable bytes after it.
    let memory: InputMemory

    /// The range of the block's bytes in the memory.
    let range: Range<Int>

    /// The position in the input at which the block ends, in bytes.
    let place: Int64

    /// The offsets in the memory at which the block's documents end. Empty if the block holds lines.
    let ends: [Int]

    /// Whether the block holds lines and is the beginning of the input, which may have a byte order mark.
    let isFirst: Bool

    /// Whether the block begins inside a line or document that is too long and whose beginning was discarded.
    let isSkipping: Bool

    /// Whether the last document of the block is invalid, so that the beginning of the next document is unknown.
    let isBroken: Bool
}

/// Memory into which input is read, with ``JSONReader/padding`` readable bytes after it.
// Has one owner at a time: first the reader of the input, then the decoder of the bytes.
final class InputMemory: @unchecked Sendable {
    let base: UnsafeMutableRawPointer
    let capacity: Int

    /// Allocates memory with the given capacity in bytes.
    init(_ capacity: Int) {
        self.capacity = capacity
        base = .allocate(byteCount: capacity + JSONReader.padding, alignment: 64)
        // The parser loads the padding but never uses its value.
        (base + capacity).initializeMemory(as: UInt8.self, repeating: 0, count: JSONReader.padding)
    }

    deinit { base.deallocate() }
}
