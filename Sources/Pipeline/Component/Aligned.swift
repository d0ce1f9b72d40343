/// What several edges brought for one timestamp: one frame from each, `nil` where there was none.
///
/// The input of a stage that looks at several streams of results at once. Sets are made by an aligned input, which waits
/// until it is settled what belongs to a timestamp; see ``Alignment``.
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
        /// Those of the same timestamp.
        case exact

        /// For each frame of the first edge, the nearest of each other within a tolerance; the earlier on a tie.
        case approximate

        /// For each frame of the first edge, the last of each other at or before it.
        case latest
    }

    /// Between which frames pairs are made.
    public enum Pairing: String, Sendable, CaseIterable {
        /// Frames of the same stream.
        case stream

        /// Frames of any streams.
        case time
    }

    /// Which frames belong together.
    public var rule: Rule

    /// How far apart frames may be, in milliseconds; for `approximate`.
    public var toleranceMs: Double

    /// Between which frames pairs are made.
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
    /// What each edge brings.
    associatedtype Element: Payload

    /// How frames are joined.
    var alignment: Alignment { get }
}
