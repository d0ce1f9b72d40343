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

    // `Optional<…>` written out: a `var` of a type with `?` begins as nil, and an initializer then makes the whole value in one
    // place and copies it, with all its texts, to the other.

    /// The topology's identifier: `hand21`, `pose33`, `tool(tip, end)`; see ``Topology``.
    public var topology: String

    /// The space the coordinates are in, a ``CoordinateSpace`` by name; `nil` when not told.
    public var space: Optional<String>

    /// The places, in the order of the topology.
    public var points: [Point]

    /// Whether the points have a third coordinate.
    public var hasDepth: Bool

    /// How sure the detector is of each point, 0 to 1; empty when it does not say.
    public var confidences: [Double]

    /// The places in meters, about the middle of the hand or body; empty when not known.
    public var world: [Point]

    /// `Left` or `Right`, if told.
    public var handedness: Optional<String>

    /// How sure the detector is of the handedness, 0 to 1, if told.
    public var handednessScore: Optional<Double>

    /// How sure the detector is that it found something, 0 to 1, if told.
    public var score: Optional<Double>

    /// How sure the landmark model is that it is still there, 0 to 1, if told: MediaPipe's hand presence.
    public var presence: Optional<Double>

    /// The identity given by tracking, if any.
    public var track: Optional<Int>

    /// Why a gate would have let it go, had it not been told to mark; `nil` when nothing is doubted.
    public var doubt: Optional<String>

    /// What they are meant to show, if that is known: the gesture of a labeled hand.
    public var label: Optional<String>

    /// Makes a set of landmarks.
    public init(
        topology: String = "hand21", space: String? = nil, points: [Point], hasDepth: Bool = true,
        confidences: [Double] = [], world: [Point] = [], handedness: String? = nil, handednessScore: Double? = nil,
        score: Double? = nil, presence: Double? = nil, track: Int? = nil, doubt: String? = nil,
        label: String? = nil
    ) {
        self.topology = topology
        self.space = space
        self.points = points
        self.hasDepth = hasDepth
        self.confidences = confidences
        self.world = world
        self.handedness = handedness
        self.handednessScore = handednessScore
        self.score = score
        self.presence = presence
        self.track = track
        self.doubt = doubt
        self.label = label
    }
}
