import Pipeline
import PipelineComponents

/// Rotates, mirrors and flips landmarks, and converts them from one coordinate space to another.
///
/// Each space has one affine map, which is computed when the stage is created. Complexity: O(points).
public struct Convert<Payload: LandmarkSet>: Stage {
    private let converter: LandmarkConverter
    private var output = Payload.empty

    public var isStateless: Bool { true }

    /// Creates a stage that converts landmarks or hands.
    ///
    /// - Parameters:
    ///   - options: The conversions.
    ///   - y: The direction in which y grows, which determines what clockwise means.
    public init(_ options: ConvertComponent.Options, y: VerticalDirection = .down) {
        self.init(options, PortType(Payload.self, attributes: ["y": y.rawValue]))
    }

    init(_ options: ConvertComponent.Options, _ input: PortType) { converter = LandmarkConverter(options, input) }

    public func output(for input: PortType) -> PortType {
        PortType(Payload.self, attributes: converter.attributes(for: input))
    }

    /// - Throws: A frame error for landmarks that are not finite, whose space is unknown (`convert.unknown_space`), or that lack
    ///   data for the target space.
    public mutating func process(
        _ payload: Payload, _ header: borrowing Header, into emitter: borrowing Emitter<Payload>
    ) throws {
        try payload.check()
        let converter = converter
        try output.fill(from: payload) { try converter.convert($0, into: &$1) }
        emitter.emit(output)
    }
}

/// The `convert` component of configurations: options, manifest and factory.
public enum ConvertComponent: StageComponent {
    /// A coordinate space that landmarks can be converted to.
    public enum Space: String, OptionChoice {
        /// From 0 to 1 over the width and height of the image.
        case normalized
        /// Pixels of the image.
        case pixels
        /// World coordinates: the positions in meters that accompany the landmarks.
        case world
    }

    /// The options. They take effect in this order: rotate, mirror, flip, space.
    public struct Options: ComponentOptions {
        @Option(
            "Space to convert to. world uses the world coordinates in meters that accompany the landmarks.",
            example: "normalized")
        public var space: Space?

        @Option(
            "Width of the incoming image, in pixels. Needed to convert between pixels and normalized, and to rotate, mirror or flip pixels.",
            in: 1...1e6, example: "640")
        public var width: Double?

        @Option("Height of the incoming image, in pixels.", in: 1...1e6, example: "480")
        public var height: Double?

        @Option("Angle to rotate the image by, clockwise, in steps of 90.", in: -270...270)
        public var rotateDeg = 0

        @Option("Whether to exchange left and right, as a mirror does.")
        public var mirrorX = false

        @Option("Whether to flip the y axis: from y up, as in Vision, to y down, or back.")
        public var flipY = false

        @Option("Whether to exchange the names of left and right hands, which corrects a mirrored image.")
        public var swapHandedness = false

        public init() {}

        public func check(_ node: ConfigNode, _ context: DecodingContext) {
            if rotateDeg % 90 != 0 {
                context.findings.error(
                    "option.range", "\(rotateDeg) is not a multiple of 90 degrees", at: node["rotate_deg"]?.span,
                    path: context.path + ".rotate_deg", label: "allowed: 0, 90, 180, 270 and their negatives")
            }
            if (width == nil) != (height == nil) {
                let (given, missing) = width == nil ? ("height", "width") : ("width", "height")
                context.findings.error(
                    "option.missing", "\(given) needs \(missing)", at: node[given]?.span, path: context.path,
                    help: "add \(missing): in pixels")
            }
        }
    }

    public static let manifest = Manifest(
        name: "convert",
        summary: "Rotates, mirrors and flips landmarks, and converts their coordinate space",
        details: """
            The order is: `rotate_deg`, `mirror_x`, `flip_y`, `space`. World coordinates that accompany the landmarks are rotated, \
            mirrored and flipped about their origin as well. `normalized` ranges from 0 to 1 over the width and height of the \
            image, with z in the unit of x; a rotation by 90 degrees exchanges width and height. Landmarks are refused if neither \
            they nor the source declare their space, and if they have no world coordinates when `space: world` is requested.
            """,
        isPure: true,
        example: """
            version: 1
            name: convert-example
            sources:
              - stdin: { kind: hands, space: normalized, y: up }
            stages:
              - convert: { flip_y: true, space: pixels, width: 640, height: 480 }
            sinks:
              - stdout
            """)

    public static let makes = Production.same

    public static func accepts(_ options: Options) -> Acceptance { .one(of: landmarkSetPorts) }

    public static func make(_ options: Options, for input: PortType, _ context: BuildContext) throws -> any Stage {
        if let space = input.space { report(options, from: space, context) }
        return input.payload is Hands.Type
            ? Convert<Hands>(options, input) : Convert<Landmarks>(options, input)
    }

    private static func report(_ options: Options, from space: CoordinateSpace, _ context: BuildContext) {
        if let missing = LandmarkTransform(options, from: space, y: nil).missing {
            context.report(.error, missing.code, missing.message, option: "space", help: missing.help)
        }
    }
}

/// Converts one set of landmarks. It is immutable and shared by all streams.
private final class LandmarkConverter: Sendable {
    private let options: ConvertComponent.Options
    private let arriving: CoordinateSpace?
    private let transforms: [CoordinateSpace: LandmarkTransform]
    private let world: LandmarkTransform

    init(_ options: ConvertComponent.Options, _ input: PortType) {
        self.options = options
        arriving = input.space
        let y = input.verticalDirection
        transforms = Dictionary(
            uniqueKeysWithValues: CoordinateSpace.allCases.map { ($0, LandmarkTransform(options, from: $0, y: y)) })
        world = LandmarkTransform(options, from: .world, y: y)
    }

    func attributes(for input: PortType) -> [String: String] {
        var attributes = input.attributes
        if let space = options.space { attributes["space"] = space.rawValue }
        if options.flipY { attributes["y"] = input.verticalDirection?.opposite.rawValue }
        return attributes
    }

    func convert(_ old: Landmarks, into new: inout Landmarks) throws {
        let named = old.space.flatMap { CoordinateSpace(rawValue: $0) } ?? arriving
        guard let space = named, let transform = transforms[space] else {
            throw PipelineError.frame(
                "convert.unknown_space",
                old.space.map { "the space \"\($0)\" is not known" } ?? "the space of the coordinates is not known",
                help: "set space: normalized or space: pixels at the source")
        }
        if let missing = transform.missing { throw missing }
        new.copy(old)
        world.apply(to: &new.world)
        if options.space == .world, space != .world {
            guard !old.world.isEmpty || old.points.isEmpty else {
                throw PipelineError.frame("convert.no_world", "the landmarks have no world positions")
            }
            new.points.replaceSubrange(new.points.indices, with: new.world)
            new.hasDepth = true
        } else {
            transform.apply(to: &new.points)
        }
        new.space = options.space?.rawValue ?? space.rawValue
        if options.swapHandedness { new.swapHandedness() }
    }
}

extension Landmarks {
    /// Exchanges the names of left and right hands.
    fileprivate mutating func swapHandedness() {
        switch handedness {
        case "Left": handedness = "Right"
        case "Right": handedness = "Left"
        case "left": handedness = "right"
        case "right": handedness = "left"
        default: break
        }
    }
}
