/// A set of frames that belong together: one frame from each edge, or `nil` for an edge without one.
///
/// Sets are the input of an ``AlignedStage``. An aligned input makes a set when no edge can bring another frame for it.
/// ``Alignment`` says which frames belong together.
public struct Aligned<Element: Payload>: Payload {
    public static var kind: Kind { Element.kind }

    /// The frame from each edge, in the order of `from`.
    public let frames: [Frame<Element>?]

    /// Makes a set.
    public init(_ frames: [Frame<Element>?]) { self.frames = frames }

    /// The payload from each edge.
    public var values: [Element?] { frames.map { $0?.payload } }
}

/// How frames of several edges are joined.
public struct Alignment: Sendable, Hashable {
    /// Which frames belong together.
    public enum Rule: String, Sendable, CaseIterable {
        /// Frames with the same timestamp.
        case exact

        /// Each frame of the first edge, with the nearest frame of every other edge within a tolerance; of two equally near
        /// frames, the earlier one.
        case approximate

        /// Each frame of the first edge, with the last frame of every other edge at or before its timestamp.
        case latest
    }

    /// Which streams are joined with each other.
    public enum Pairing: String, Sendable, CaseIterable {
        /// Frames of the same stream.
        case stream

        /// Frames of any streams.
        case time
    }

    /// Which frames belong together.
    public var rule: Rule

    /// The largest time between two frames of a set, in milliseconds; for `approximate`.
    public var toleranceMs: Double

    /// Which streams are joined with each other.
    public var pair: Pairing

    /// States how to align.
    public init(_ rule: Rule = .exact, toleranceMs: Double = 0, pair: Pairing = .stream) {
        self.rule = rule
        self.toleranceMs = toleranceMs
        self.pair = pair
    }
}

/// A stage whose input is aligned: it gets sets of frames instead of one frame at a time.
public protocol AlignedStage<Element, Output>: Stage where Input == Aligned<Element> {
    /// The payload type of each edge.
    associatedtype Element: Payload

    /// How frames are joined.
    var alignment: Alignment { get }
}
