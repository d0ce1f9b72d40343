/// The name of a stream: a device, a pen, a camera.
///
/// Order, gaps, and stage state are all kept per stream. Two names are equal only if they consist of the same bytes, even where
/// Unicode treats two spellings of a text as equivalent. A name of at most 15 UTF-8 bytes needs no heap memory and no reference
/// counting. Each copy of a longer name costs one reference count.
public struct StreamID: Hashable, Sendable, ExpressibleByStringInterpolation, CustomStringConvertible {
    /// The name as received from the source. It may be empty.
    public let name: String

    /// Creates a stream ID from a name.
    @inlinable
    public init(_ name: String) { self.name = name }

    @inlinable
    public init(stringLiteral value: String) { name = value }

    public var description: String { name }

    @inlinable
    public static func == (a: StreamID, b: StreamID) -> Bool {
        // Equal names nearly always have the same representation, which is faster to compare than their bytes.
        if MemoryLayout<String>.size == MemoryLayout<SIMD2<UInt64>>.size,
            unsafeBitCast(a.name, to: SIMD2<UInt64>.self) == unsafeBitCast(b.name, to: SIMD2<UInt64>.self)
        {
            return true
        }
        return a.name == b.name && a.name.utf8.elementsEqual(b.name.utf8)
    }
}

extension StreamID: Comparable {
    /// Compares the bytes of two names.
    public static func < (a: StreamID, b: StreamID) -> Bool { a.name.utf8.lexicographicallyPrecedes(b.name.utf8) }
}
