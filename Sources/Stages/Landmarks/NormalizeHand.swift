import Pipeline
import PipelineComponents

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Translates, mirrors, rotates and scales a hand, so that hands of any size, anywhere in the image, can be compared.
///
/// The wrist moves to the origin and the largest coordinate becomes 1, as in the hand gesture data sets that people record with
/// MediaPipe. Unlike in those data sets, the rotation is bounded, because the direction of a hand is often part of the gesture.
/// Complexity: O(points).
public enum NormalizeHand: StageComponent {
    /// The length that becomes 1.
    public enum Scale: String, OptionChoice {
        /// The largest coordinate, regardless of its sign.
        case extent
        /// The palm: the largest distance between two of the wrist and the knuckles.
        case palm
    }

    /// The hand that the other one is mirrored to.
    public enum Side: String, OptionChoice {
        /// Left hands become right ones.
        case right
        /// Right hands become left ones.
        case left
        /// Hands are not mirrored.
        case none
    }

    public struct Options: ComponentOptions {
        @Option(
            "Length that becomes 1: the largest coordinate (extent), or the largest distance between two of wrist and knuckles (palm)."
        )
        public var scale = Scale.extent

        @Option(
            "Largest angle by which a hand is rotated to put the knuckle of the middle finger above the wrist. 180 rotates every hand upright, and its direction is lost.",
            in: 0...180)
        public var rotateLimitDeg = 0.0

        @Option(
            "Hand that the other one is mirrored to. A hand of unknown handedness is taken to show its palm."
        )
        public var mirrorTo = Side.none

        public init() {}
    }

    public static let manifest = Manifest(
        name: "normalize_hand",
        summary: "Moves a hand's wrist to the origin, then mirrors, rotates and scales the hand",
        details: """
            The order is: the wrist moves to the origin, `mirror_to`, a rotation by at most `rotate_limit_deg`, `scale`. z is kept \
            for world coordinates, and set to 0 otherwise, because it is only an estimate. Coordinates that were normalized over \
            an image that is not square are stretched: put `convert: { space: pixels, … }` before.
            """,
        isPure: true,
        example: """
            version: 1
            name: normalize-hand-example
            sources:
              - stdin: { kind: landmarks, space: pixels }
            stages:
              - normalize_hand: { rotate_limit_deg: 30, mirror_to: right }
            sinks:
              - stdout
            """)

    public static let makes = Production.one(of: [
        PortType(Landmarks.self, attributes: ["space": CoordinateSpace.unitless.rawValue])
    ])

    public static func accepts(_ options: Options) -> Acceptance { .one(of: [handPort]) }

    public static func make(_ options: Options, for input: PortType, _ context: BuildContext) throws -> any Stage {
        NormalizeHandStage(options)
    }

    /// Creates the stage, for use without a configuration.
    public static func stage(_ options: Options = Options()) -> some Stage<Landmarks, Landmarks> {
        NormalizeHandStage(options)
    }
}

/// Normalizes hands one by one.
struct NormalizeHandStage: Stage {
    private let normalizer: HandNormalizer
    private var output = Landmarks.empty

    var isStateless: Bool { true }

    init(_ options: NormalizeHand.Options) { normalizer = HandNormalizer(options) }

    func output(for input: PortType) -> PortType {
        var attributes = input.attributes
        attributes["space"] = CoordinateSpace.unitless.rawValue
        return PortType(Landmarks.self, attributes: attributes)
    }

    /// - Throws: A frame error for landmarks that are not a hand, for numbers that are not finite, and for a hand without extent
    ///   (`normalize_hand.no_extent`).
    mutating func process(
        _ landmarks: Landmarks, _ header: borrowing Header, into emitter: borrowing Emitter<Landmarks>
    ) throws {
        try normalizer.normalize(landmarks, into: &output)
        emitter.emit(output)
    }
}

/// Normalizes hands according to the options of `normalize_hand`.
struct HandNormalizer: Sendable {
    private let options: NormalizeHand.Options
    private let limit: Double
    private let palm = Topology.hand21.palm ?? []

    init(_ options: NormalizeHand.Options) {
        self.options = options
        limit = options.rotateLimitDeg * .pi / 180
    }

    /// Normalizes a hand into the memory of another. O(points).
    func normalize(_ old: Landmarks, into new: inout Landmarks) throws {
        try old.check(.hand21)
        new.copy(old)
        let usesDepth = old.space == CoordinateSpace.world.rawValue && old.hasDepth
        let wrist = old.points[0]
        let (knuckle, little) = (old.points[9].minus(wrist), old.points[17].minus(wrist))
        let isMirrored = mirrors(old.handedness, old.points[5].minus(wrist), little)
        // The angle to the straight-up direction, which is −y.
        let sign = isMirrored ? -1.0 : 1.0
        let lean = atan2(sign * knuckle.x, -knuckle.y)
        let turn = -min(max(lean, -limit), limit)
        let (cosine, sine) = (cos(turn), sin(turn))
        var extent = 0.0
        for index in new.points.indices {
            let place = old.points[index].minus(wrist)
            let x = sign * place.x
            let turned = Landmarks.Point(
                x: x * cosine - place.y * sine, y: x * sine + place.y * cosine, z: usesDepth ? place.z : 0)
            new.points[index] = turned
            extent = max(extent, abs(turned.x), abs(turned.y), abs(turned.z))
        }
        let size = options.scale == .extent ? extent : new.points.extent(of: palm, usesDepth)
        // A palm that is negligible compared with the fingers counts as having no extent.
        guard size > extent * 1e-6, size >= .leastNormalMagnitude else {
            throw PipelineError.frame(
                "normalize_hand.no_extent", "the hand has no extent",
                help: "gate drops uncertain landmarks")
        }
        for index in new.points.indices {
            let place = new.points[index]
            new.points[index] = Landmarks.Point(x: place.x / size, y: place.y / size, z: place.z / size)
        }
        for index in new.world.indices {
            let x = sign * new.world[index].x
            let y = new.world[index].y
            new.world[index].x = x * cosine - y * sine
            new.world[index].y = x * sine + y * cosine
        }
        new.space = CoordinateSpace.unitless.rawValue
        new.hasDepth = usesDepth
        if isMirrored, new.handedness != nil { new.handedness = options.mirrorTo == .right ? "Right" : "Left" }
    }

    /// Returns whether a hand must be mirrored.
    private func mirrors(
        _ handedness: String?, _ index: Landmarks.Point, _ little: Landmarks.Point
    ) -> Bool {
        let isRight =
            switch handedness {
            case "Right", "right": true
            case "Left", "left": false
            // For a right palm held up toward the viewer, the index finger is on the right.
            default: index.x * little.y - index.y * little.x <= 0
            }
        switch options.mirrorTo {
        case .none: return false
        case .right: return !isRight
        case .left: return isRight
        }
    }
}

extension Landmarks.Point {
    /// Returns the vector from another point to this one.
    func minus(_ other: Landmarks.Point) -> Landmarks.Point {
        Landmarks.Point(x: x - other.x, y: y - other.y, z: z - other.z)
    }
}
