import Pipeline
import PipelineComponents

/// Turns, mirrors and flips landmarks, and takes them from one space of coordinates to another.
///
/// All of it is one affine map a space, worked out when the stage is made. O(points).
public struct Convert<Payload: LandmarkSet>: Stage {
    private let converter: LandmarkConverter
    private var output = Payload.empty

    /// Converts landmarks or hands.
    ///
    /// - Parameters:
    ///   - options: The conversions.
    ///   - y: Where y grows to, which decides what clockwise is.
    public init(_ options: ConvertComponent.Options, y: VerticalDirection = .down) {
        self.init(options, PortType(Payload.self, attributes: ["y": y.rawValue]))
    }

    init(_ options: ConvertComponent.Options, _ input: PortType) { converter = LandmarkConverter(options, input) }

    public func output(for input: PortType) -> PortType {
        PortType(Payload.self, attributes: converter.attributes(for: input))
    }

    /// - Throws: A frame error for landmarks that are not finite, whose space is not known (`convert.unknown_space`), or
    ///   that lack what the space wanted is made of.
    public mutating func process(
        _ payload: Payload, _ header: borrowing Header, into emitter: borrowing Emitter<Payload>
    ) throws {
        try payload.check()
        let converter = converter
        try output.fill(from: payload) { try converter.convert($0, into: &$1) }
        emitter.emit(output)
    }
}

/// The `convert` of configurations: its options, its manifest and its factory.
public enum ConvertComponent: StageComponent {
    /// A space that landmarks can be taken to.
    public enum Space: String, OptionChoice {
        /// From 0 to 1 over the width and the height of the image.
        case normalized
        /// Pixels of the image.
        case pixels
        /// The places in meters that came with the landmarks.
        case world
    }

    /// The options. They take effect in this order: turn, mirror, flip, space.
    public struct Options: ComponentOptions {
        @Option(
            "Space to convert to. world takes the positions in meters that came with the landmarks.",
            example: "normalized")
        public var space: Space?

        @Option(
            "Width of the image as it arrives, in pixels. Needed between pixels and normalized, and to turn, mirror or flip pixels.",
            in: 1...1e6, example: "640")
        public var width: Double?

        @Option("Height of the image as it arrives, in pixels.", in: 1...1e6, example: "480")
        public var height: Double?

        @Option("Angle to turn the image by, clockwise, in steps of 90.", in: -270...270)
        public var rotateDeg = 0

        @Option("Whether to exchange left and right, as a mirror does.")
        public var mirrorX = false

        @Option("Whether to flip the y axis: from Vision's y up to y down, or back.")
        public var flipY = false

        @Option("Whether left and right hands exchange names, which corrects a mirrored image.")
        public var swapHandedness = false

        public init() {}

        public func check(_ node: ConfigNode, _ context: DecodingContext) {
            if rotateDeg % 90 != 0 {
                context.findings.error(
                    "option.range", "\(rotateDeg) is not a step of 90 degrees", at: node["rotate_deg"]?.span,
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
        summary: "Turns, mirrors and flips landmarks, and changes the space of their coordinates",
        details: """
            In this order: `rotate_deg`, `mirror_x`, `flip_y`, `space`. Places in the world that come with the landmarks are turned, \
            mirrored and flipped about their origin alike. `normalized` counts from 0 to 1 over the width and height of \
            the image, with z in the unit of x; after a turn by 90 degrees, width and height have changed places. \
            Landmarks that do not say their space, where the source does not either, are refused, and so are those \
            that came without places in the world when these are wanted.
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

/// What `convert` does to one set of landmarks. It does not change, and is shared by all streams.
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
                help: "say space: normalized or space: pixels at the source")
        }
        if let missing = transform.missing { throw missing }
        new.copy(old)
        world.apply(to: &new.world)
        if options.space == .world, space != .world {
            guard !old.world.isEmpty || old.points.isEmpty else {
                throw PipelineError.frame("convert.no_world", "the landmarks came without places in the world")
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
    /// Makes a left hand a right one in name, and a right one a left one.
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
