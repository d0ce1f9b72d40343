import Pipeline

/// A set of landmarks of a named topology.
public struct Landmarks: Payload, Hashable {
    public static let kind: Kind = "landmarks"

    /// The position of one landmark. `z` is 0 if unknown.
    public struct Point: Hashable, Sendable {
        public var x: Double
        public var y: Double
        public var z: Double

        /// Creates a point.
        @inlinable
        public init(x: Double, y: Double, z: Double = 0) {
            self.x = x
            self.y = y
            self.z = z
        }
    }

    // `Optional<…>` is written out on purpose. A `var` of a type with `?` has the default value nil. An initializer then builds the
    // whole value in one location and copies it, with all its strings, to another.

    /// The identifier of the topology: `hand21`, `pose33`, `tool(tip, end)`; see ``Topology``.
    public var topology: String

    /// The name of the coordinates' ``CoordinateSpace``; `nil` if unknown.
    public var space: Optional<String>

    /// The positions, in the order of the topology.
    public var points: [Point]

    /// Whether the points have a third coordinate.
    public var hasDepth: Bool

    /// The detector's confidence of each point, 0 to 1; empty if it reports none.
    public var confidences: [Double]

    /// The world coordinates in meters, relative to the center of the hand or body; empty if unknown.
    public var world: [Point]

    /// `Left` or `Right`, if reported.
    public var handedness: Optional<String>

    /// The detector's confidence of the handedness, 0 to 1, if reported.
    public var handednessScore: Optional<Double>

    /// The detector's confidence of the detection, 0 to 1, if reported.
    public var score: Optional<Double>

    /// The landmark model's confidence that the object is present, 0 to 1, if reported: MediaPipe's hand presence.
    public var presence: Optional<Double>

    /// The identity assigned by tracking, if any.
    public var track: Optional<Int>

    /// The reason why the landmarks did not pass a gate with `on_fail: mark`; `held` if a gate repeated earlier landmarks;
    /// otherwise `nil`.
    public var doubt: Optional<String>

    /// The class that the landmarks are meant to show, if known: the gesture of a labeled hand.
    public var label: Optional<String>

    /// Creates a set of landmarks.
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
