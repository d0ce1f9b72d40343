/// The name of a stream: a device, a pen, a camera.
///
/// Order, gaps, and stage state are all kept per stream. A name of at most 15 UTF-8 bytes needs no heap memory and no reference
/// counting. Each copy of a longer name costs one reference count.
public struct StreamID: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name as received from the source. It may be empty.
    public let name: String

    /// Creates a stream ID from a name.
    @inlinable
    public init(_ name: String) { self.name = name }

    @inlinable
    public init(stringLiteral value: String) { name = value }

    public var description: String { name }
}
