/// A name as two numbers: its first bytes and its last bytes. These are eight bytes each, or four or two in a shorter name. A name
/// of one byte has only the first number.
///
/// Names of up to 16 bytes are equal if their spellings are equal. Longer names can differ and still have the same spelling.
struct KeySpelling: Equatable, Sendable {
    var head: UInt64 = 0
    var tail: UInt64 = 0
    let count: Int

    /// The length of the longest name that its spelling identifies, in bytes.
    static let longest = 16

    @inline(__always)
    init(_ bytes: UnsafeRawBufferPointer) {
        count = bytes.count
        // The first and the last bytes meet or overlap, so together they contain the whole name. No loop over the bytes is needed.
        switch count {
        case 8...:
            head = bytes.loadUnaligned(as: UInt64.self)
            tail = bytes.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
        case 4...:
            head = UInt64(bytes.loadUnaligned(as: UInt32.self))
            tail = UInt64(bytes.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self))
        case 2...:
            head = UInt64(bytes.loadUnaligned(as: UInt16.self))
            tail = UInt64(bytes.loadUnaligned(fromByteOffset: count - 2, as: UInt16.self))
        default: head = UInt64(bytes[0])
        }
    }

    /// The index of the name in a hash table with 128 slots.
    var place: Int {
        // For a name of 2, 4 or 8 bytes, `head` and `tail` are equal. The factor 31 prevents them from canceling each other
        // out.
        Int(truncatingIfNeeded: (((head &* 31) ^ (tail &+ UInt64(count))) &* 0x9E37_79B9_7F4A_7C15) >> 57)
    }
}
