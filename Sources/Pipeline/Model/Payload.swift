/// What a frame carries: a plain value that can say what it is.
///
/// The engine is generic over payloads and knows none of them. Payload types live with the stages that use them.
public protocol Payload: Sendable {
    /// The name of the type in configurations, on the wire and in messages: `stroke`, `points`, `landmarks`.
    static var kind: Kind { get }

    /// Whether frames stand alone or continue one another.
    static var continuity: Continuity { get }

    /// Whether this frame needs none of those before it: always, where frames stand alone; where they continue one
    /// another, at the beginning of a stroke. When an edge has to drop what continues, it drops up to the next such frame.
    var beginsAnew: Bool { get }

    /// Hands a frame over, out of the place in memory where it stands; the place is empty then. The engine's: no payload
    /// declares it.
    static func _hand(_ frame: UnsafeMutableRawPointer, to link: AnyLink)

    /// Puts a frame into an empty cell of each edge behind an outlet. The engine's: no payload declares it.
    static func _put(
        _ payload: consuming Self, _ header: UnsafePointer<FrameHeader>, into outlet: UnsafeMutableRawPointer)

    /// Destroys the frame that stands in a place in memory. The engine's: no payload declares it.
    static func _empty(_ frame: UnsafeMutableRawPointer)
}

// In the witness of each payload, compiled for its type.
extension Payload {
    @inlinable
    @inline(__always)
    public static func _hand(_ frame: UnsafeMutableRawPointer, to link: AnyLink) {
        let place = frame.assumingMemoryBound(to: Frame<Self>.self)
        let header = frame.assumingMemoryBound(to: FrameHeader.self)
        // Out of its place straight into the call: a payload with a name would be copied.
        withUnsafeMutablePointer(to: &place.pointee.payload) { link.carrying(Self.self).pass($0.move(), header) }
        header.deinitialize(count: 1)
    }

    @inlinable
    @inline(__always)
    public static func _empty(_ frame: UnsafeMutableRawPointer) {
        frame.assumingMemoryBound(to: Frame<Self>.self).deinitialize(count: 1)
    }
}

extension Payload {
    /// Most payloads stand alone.
    public static var continuity: Continuity { .standsAlone }

    public var beginsAnew: Bool { Self.continuity == .standsAlone }
}

/// Whether a frame can be lost without corrupting those around it.
public enum Continuity: Sendable {
    /// A newer frame replaces an older one: a stroke, a hand.
    case standsAlone

    /// Frames continue one another: losing a piece of a stroke corrupts the rest of it.
    case continues
}

/// The name of a payload type.
public struct Kind: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name: lower case, as written in YAML and on the wire.
    public let rawValue: String

    /// Wraps a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    public init(stringLiteral value: String) { rawValue = value }

    public var description: String { rawValue }
}
