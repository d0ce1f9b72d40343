/// Copies messages into memory with padding after them. Keeps the memory from one message to the next.
///
/// The JSON parser reads past the end of its text, and a message of libzmq may be at the very end of its memory.
// `@unchecked Sendable`: belongs to one source, which calls it from one thread at a time.
final class PaddedCopy: @unchecked Sendable {
    private var memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 << 10, alignment: 64)

    /// Creates an empty copy with room for small messages.
    init() { memory.initializeMemory(as: UInt8.self, repeating: 0) }

    deinit { memory.deallocate() }

    /// Returns a copy of `bytes` that is valid until the next call.
    ///
    /// - Complexity: O(*n*), where *n* is the number of bytes.
    func callAsFunction(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let needed = bytes.count + JSONReader.padding
        if needed > memory.count {
            memory.deallocate()
            memory = .allocate(byteCount: max(needed, 2 * memory.count), alignment: 64)
            memory.initializeMemory(as: UInt8.self, repeating: 0)
        }
        memory.copyMemory(from: bytes)
        // Clears the byte after the document, which an earlier message may have left there. If it were a closing bracket, the
        // parser would scan the whole document again.
        memory[bytes.count] = 0
        return UnsafeRawBufferPointer(rebasing: memory[0..<bytes.count])
    }
}
