import Pipeline

/// A set of landmarks of a named topology.
public struct Landmarks: Payload, Hashable {
    public static let kind: Kind = "landmarks"

    /// One landmark's place. `z` is 0 when it is not known.
    public struct Point: Hashable, Sendable {
        public var x: Double
        public var y: Double
        public var z: Double

        /// Makes a place.
        @inlinable
        public init(x: Double, y: Double, z: Double = 0) {
            self.x = x
            self.y = y
            self.z = z
        }
    }

    /// The topology: `hand21`, `pose33`, or a name of the user's.
    public var topology: String

    /// The space the coordinates are in: `normalized`, `pixels`, `world`, `unitless`; `nil` when not told.
    public var space: String?

    /// The places, in the order of the topology.
    public var points: [Point]

    /// Whether the points have a third coordinate.
    public var hasDepth: Bool

    /// How sure the detector is of each point, 0 to 1; empty when it does not say.
    public var confidences: [Double]

    /// The places in metres; empty when not known.
    public var world: [Point]

    /// `Left` or `Right`, if told.
    public var handedness: String?

    /// How sure the detector is, 0 to 1, if told.
    public var score: Double?

    /// The identity given by tracking, if any.
    public var track: Int?

    /// Makes a set of landmarks.
    public init(
        topology: String = "hand21", space: String? = nil, points: [Point], hasDepth: Bool = true,
        confidences: [Double] = [], world: [Point] = [], handedness: String? = nil, score: Double? = nil,
        track: Int? = nil
    ) {
        self.topology = topology
        self.space = space
        self.points = points
        self.hasDepth = hasDepth
        self.confidences = confidences
        self.world = world
        self.handedness = handedness
        self.score = score
        self.track = track
    }
}

/// All hands of one camera frame, possibly none.
public struct Hands: Payload, Hashable {
    public static let kind: Kind = "hands"

    /// The hands.
    public var hands: [Landmarks]

    /// Makes a frame's hands.
    public init(hands: [Landmarks]) { self.hands = hands }
}
