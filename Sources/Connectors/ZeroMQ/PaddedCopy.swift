/// A copy of a message with room behind it, in memory that is kept from one message to the next.
///
/// The JSON parser reads past the end of its text, and a message of libzmq may stand at the very end of its memory.
// Belongs to one source, which is called on one thread only.
final class PaddedCopy: @unchecked Sendable {
    private var memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 << 10, alignment: 64)

    /// Allocates room for small messages.
    init() { memory.initializeMemory(as: UInt8.self, repeating: 0) }

    deinit { memory.deallocate() }

    /// The copy of `bytes`, valid until the next. O(bytes).
    func callAsFunction(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let needed = bytes.count + JSONReader.padding
        if needed > memory.count {
            memory.deallocate()
            memory = .allocate(byteCount: max(needed, 2 * memory.count), alignment: 64)
            memory.initializeMemory(as: UInt8.self, repeating: 0)
        }
        memory.copyMemory(from: bytes)
        // Not what stood there before: where a bracket closes right behind a document, the parser looks at all of it again.
        memory[bytes.count] = 0
        return UnsafeRawBufferPointer(rebasing: memory[0..<bytes.count])
    }
}
