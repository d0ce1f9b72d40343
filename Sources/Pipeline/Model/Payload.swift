/// The content of a frame: a plain value with a kind.
///
/// The engine works with any payload type and defines none itself. Payload types are defined together with the stages that use
/// them.
public protocol Payload: Sendable {
    /// The name of the type in configurations, on the wire and in messages: `stroke`, `points`, `landmarks`.
    static var kind: Kind { get }

    /// Whether frames are independent or continue one another.
    static var continuity: Continuity { get }

    /// Whether this frame does not depend on earlier frames.
    ///
    /// This is always true for independent frames. For frames that continue one another, it is true at the beginning of a stroke.
    /// If an edge must drop a frame that continues others, it drops all frames up to the next one for which this is true.
    var beginsAnew: Bool { get }

    /// Passes a frame in memory to a link, and destroys it. Only the engine uses this; payloads do not implement it.
    static func _hand(_ frame: UnsafeMutableRawPointer, to link: AnyLink)

    /// Puts a frame into an empty cell of each edge of an outlet. Only the engine uses this; payloads do not implement it.
    static func _put(
        _ payload: borrowing Self, _ header: UnsafePointer<FrameHeader>, into outlet: UnsafeMutableRawPointer)

    /// Moves a frame out of memory and into an empty cell of each edge of an outlet. Only the engine uses this; payloads do not
    /// implement it.
    static func _move(_ frame: UnsafeMutableRawPointer, into outlet: UnsafeMutableRawPointer)

    /// Makes a frame and passes it to a closure. Only the engine uses this; payloads do not implement it.
    static func _frame(
        _ payload: borrowing Self, _ header: UnsafePointer<FrameHeader>, _ body: (borrowing Frame<Self>) -> Void)

    /// Destroys a frame in memory. Only the engine uses this; payloads do not implement it.
    static func _empty(_ frame: UnsafeMutableRawPointer)
}

// The compiler specializes these functions for each payload type.
extension Payload {
    @inlinable
    @inline(__always)
    public static func _hand(_ frame: UnsafeMutableRawPointer, to link: AnyLink) {
        let place = frame.assumingMemoryBound(to: Frame<Self>.self)
        let header = frame.assumingMemoryBound(to: FrameHeader.self)
        // The payload is moved out of the memory, because a payload lent from there would be copied.
        withUnsafeMutablePointer(to: &place.pointee.payload) { link.carrying(Self.self).pass($0.move(), header) }
        header.deinitialize(count: 1)
    }

    @inlinable
    @inline(__always)
    public static func _frame(
        _ payload: borrowing Self, _ header: UnsafePointer<FrameHeader>, _ body: (borrowing Frame<Self>) -> Void
    ) {
        body(Frame(copy payload, header.pointee))
    }

    @inlinable
    @inline(__always)
    public static func _empty(_ frame: UnsafeMutableRawPointer) {
        frame.assumingMemoryBound(to: Frame<Self>.self).deinitialize(count: 1)
    }
}

extension Payload {
    /// Independent frames, which is right for most payloads.
    public static var continuity: Continuity { .standsAlone }

    public var beginsAnew: Bool { Self.continuity == .standsAlone }
}

/// Whether a frame can be lost without corrupting its neighbors.
public enum Continuity: Sendable {
    /// Each frame is independent, and a newer one replaces an older one: a stroke, a hand.
    case standsAlone

    /// Frames continue one another: losing a piece of a stroke corrupts the rest of it.
    case continues
}

/// The name of a payload type.
public struct Kind: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name in lower case, as written in YAML and on the wire.
    public let rawValue: String

    /// Creates a kind from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    public init(stringLiteral value: String) { rawValue = value }

    public var description: String { rawValue }
}
