/// A piece of an input that ends where a line or a document ends.
struct InputBlock: Sendable {
    /// Where it stands, with ``JSONReader/padding`` readable bytes behind it.
    let memory: InputMemory

    /// Its bytes there.
    let range: Range<Int>

    /// Where it ends in the input, in bytes.
    let place: Int64

    /// Where each of its documents ends; empty where it holds lines.
    let ends: [Int]

    /// Whether the input begins with it.
    let isFirst: Bool

    /// Whether it begins inside a line or document that is too long, and of which the beginning is gone.
    let isSkipping: Bool

    /// Whether its last document is none, so that nobody knows where the next one begins.
    let isBroken: Bool
}

/// Memory that an input is read into, with ``JSONReader/padding`` readable bytes behind it.
// Has one owner at a time: who reads into it, and then who decodes what stands there.
final class InputMemory: @unchecked Sendable {
    let base: UnsafeMutableRawPointer
    let capacity: Int

    /// Has room for so many bytes.
    init(_ capacity: Int) {
        self.capacity = capacity
        base = .allocate(byteCount: capacity + JSONReader.padding, alignment: 64)
        // The padding is read by the parser, though never looked at.
        (base + capacity).initializeMemory(as: UInt8.self, repeating: 0, count: JSONReader.padding)
    }

    deinit { base.deallocate() }
}
