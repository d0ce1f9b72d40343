/// The name of a stream: a device, a pen, a camera.
///
/// Order, gaps and stage state are all per stream. A name of at most 15 UTF-8 bytes costs no memory and no reference
/// count; longer ones work, at the price of one reference count a copy.
public struct StreamID: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name, as it came from the source. It may be empty.
    public let name: String

    /// Names a stream.
    @inlinable
    public init(_ name: String) { self.name = name }

    @inlinable
    public init(stringLiteral value: String) { name = value }

    public var description: String { name }
}
