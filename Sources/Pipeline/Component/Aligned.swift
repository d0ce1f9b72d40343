/// A set of frames that belong together: one frame from each edge, or `nil` for an edge without one.
///
/// Sets are the input of an ``AlignedStage``. An aligned input emits a set as soon as no edge can deliver another frame for that
/// set. ``Alignment`` defines which frames belong together.
public struct Aligned<Element: Payload>: Payload {
    public static var kind: Kind { Element.kind }

    /// The frame from each edge, in the order of `from`.
    public let frames: [Frame<Element>?]

    /// Creates a set.
    public init(_ frames: [Frame<Element>?]) { self.frames = frames }

    /// The payload from each edge.
    public var values: [Element?] { frames.map { $0?.payload } }
}

/// The rule by which frames of several edges are joined into sets.
public struct Alignment: Sendable, Hashable {
    /// Which frames belong together.
    public enum Rule: String, Sendable, CaseIterable {
        /// Frames with the same timestamp belong together.
        case exact

        /// Each frame of the first edge belongs with the nearest frame of every other edge within a tolerance. If two frames are
        /// equally near, the earlier one is used.
        case approximate

        /// Each frame of the first edge belongs with the last frame of every other edge at or before its timestamp.
        case latest
    }

    /// Which streams are joined with each other.
    public enum Pairing: String, Sendable, CaseIterable {
        /// Only frames of the same stream are joined.
        case stream

        /// Frames of any streams are joined.
        case time
    }

    /// Which frames belong together.
    public var rule: Rule

    /// The largest time between two frames of a set, in milliseconds. Only used by `approximate`.
    public var toleranceMs: Double

    /// Which streams are joined with each other.
    public var pair: Pairing

    /// Creates an alignment.
    public init(_ rule: Rule = .exact, toleranceMs: Double = 0, pair: Pairing = .stream) {
        self.rule = rule
        self.toleranceMs = toleranceMs
        self.pair = pair
    }
}

/// A stage whose input is aligned: it receives sets of frames instead of single frames.
public protocol AlignedStage<Element, Output>: Stage where Input == Aligned<Element> {
    /// The payload type of each edge.
    associatedtype Element: Payload

    /// How frames are joined.
    var alignment: Alignment { get }
}
