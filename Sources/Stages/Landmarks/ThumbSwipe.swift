import Pipeline
import PipelineComponents

/// Recognizes the thumb pointing up or down, once each time.
///
/// Like the hand-pose swipe app for Apple's Vision, it fires if the tip of the thumb is above or below the wrist, and can fire
/// again after the thumb has returned. By default it also requires a shape of the hand that distinguishes a swipe from fists and
/// open hands. The threshold, 0.3 of the palm, is about the length of the thumb's last bone. Complexity: O(points).
public enum ThumbSwipe: StageComponent {
    /// The requirement on the shape of the hand.
    public enum Requirement: String, OptionChoice {
        /// The four fingers are curled, and the thumb is out.
        case thumbOut = "thumb_out"
        /// No requirement.
        case none
    }

    public struct Options: ComponentOptions {
        @Option(
            "thumb_out: the four fingers are curled, and the tip of the thumb lies beyond the wrist and all their joints; none: only above or below the wrist."
        )
        public var require = Requirement.thumbOut

        @Option("Distance beyond these landmarks at which the thumb's tip fires, in palms.", in: 0...10)
        public var distance = 0.3

        @Option("Largest distance beyond these landmarks at which the next swipe is armed, in palms.", in: 0...10)
        public var rest = 0.15

        @Option("Name of an upward swipe.")
        public var up = "thumb_up"

        @Option("Name of a downward swipe.")
        public var down = "thumb_down"

        @Option("Whether to emit None for frames in which nothing fires.")
        public var emitNone = false

        public init() {}

        public func check(_ node: ConfigNode, _ context: DecodingContext) {
            context.check(recognitionName: up, of: "up", node)
            context.check(recognitionName: down, of: "down", node)
            guard rest > distance else { return }
            context.findings.error(
                "trigger.rest", "a thumb that has just swiped would already be at rest",
                at: (node["rest"] ?? node["distance"])?.span, path: context.path + ".rest",
                help: "rest is at most distance, which is \(shortDecimal(distance))")
        }
    }

    public static let manifest = Manifest(
        name: "thumb_swipe",
        summary: "Recognizes the thumb pointing up or down",
        details: """
            Fires `up` or `down`, with score 1, when the thumb's tip is more than `distance` palms above or below the landmarks \
            that `require` compares it with, in the first frame too. It can fire again once the tip is at most `rest` palms above \
            or below them. A palm is measured as in `measure`. A finger is curled if its tip is nearer to the wrist than its \
            middle joint (PIP). Other frames are dropped as `no_match`, which does not count as a loss. y grows downward: use \
            `convert: { flip_y: true }` for Vision.
            """,
        drops: ["no_match"],
        example: """
            version: 1
            name: thumb-swipe-example
            sources:
              - stdin: { kind: landmarks, y: up, space: normalized }
            stages:
              - convert: { flip_y: true }
              - thumb_swipe
            sinks:
              - stdout
            """)

    public static let makes = Production.of(Recognition.self)

    public static func accepts(_ options: Options) -> Acceptance { .one(of: [handPort]) }

    public static func make(_ options: Options, for input: PortType, _ context: BuildContext) throws -> any Stage {
        ThumbSwipeStage(options)
    }

    /// Creates the stage, for use without a configuration.
    public static func stage(_ options: Options = Options()) -> some Stage<Landmarks, Recognition> {
        ThumbSwipeStage(options)
    }
}

/// Recognizes the thumb swipes of one hand.
struct ThumbSwipeStage: Stage {
    private let options: ThumbSwipe.Options
    /// The indices of the landmarks that the thumb's tip is compared with.
    private let others: [Int]
    private let palm: [Int]
    private var state = ArmedSwitch()
    private var output = Recognition(categories: [.none], margin: 1, matcher: "thumb_swipe")

    private static let (wrist, thumbTip) = (0, 4)
    /// The middle joint and the tip of each finger, without the thumb.
    private static let fingers = [(6, 8), (10, 12), (14, 16), (18, 20)]

    init(_ options: ThumbSwipe.Options) {
        self.options = options
        others = options.require == .thumbOut ? [Self.wrist] + Array(5...20) : [Self.wrist]
        palm = Topology.hand21.palm ?? []
        output.categories = [.init(name: options.up, index: 0, score: 1)]
    }

    /// - Throws: A frame error for landmarks that are not a hand, for numbers that are not finite, and for a hand without extent
    ///   (`measure.no_extent`).
    mutating func process(
        _ landmarks: Landmarks, _ header: borrowing Header, into emitter: borrowing Emitter<Recognition>
    ) throws {
        let points = landmarks.points
        try landmarks.check(.hand21)
        let isWorld = landmarks.space == CoordinateSpace.world.rawValue
        let palm = points.extent(of: palm, isWorld)
        guard palm > 0 else {
            throw PipelineError.frame("measure.no_extent", "the palm has no extent")
        }
        let tip = points[Self.thumbTip].y
        var (above, below) = (Double.infinity, Double.infinity)
        for place in others {
            above = min(above, (points[place].y - tip) / palm)
            below = min(below, (tip - points[place].y) / palm)
        }
        let reach = max(above, below)
        let isIn = reach > options.distance && (options.require == .none || Self.isCurled(points, isWorld))
        let fires = state.update(isIn: isIn, isAtRest: reach <= options.rest)
        guard fires || options.emitNone else { return emitter.drop("no_match") }
        output.start = header.timestamp
        output.end = header.timestamp
        output.label = landmarks.label
        guard fires else { return emitter.emit(.nothing(output.matcher, output.start, output.end, output.label)) }
        let isUp = above > below
        output.categories[0].name = isUp ? options.up : options.down
        output.categories[0].displayName = output.categories[0].name
        output.categories[0].index = isUp ? 0 : 1
        emitter.emit(output)
    }

    private static func isCurled(_ points: [Landmarks.Point], _ isWorld: Bool) -> Bool {
        fingers.allSatisfy { middle, tip in
            points[tip].distance(to: points[wrist], isWorld) < points[middle].distance(to: points[wrist], isWorld)
        }
    }
}
