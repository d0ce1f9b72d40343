import Pipeline
import PipelineComponents

/// Selects landmarks of a set, and hands of a frame.
public struct Select: Stage {
    private let handedness: Handedness?
    private let facing: Facing?
    private let points: PointChoice
    private var output = Landmarks.empty

    public var isStateless: Bool { true }

    /// Creates a selection for single sets of landmarks.
    ///
    /// - Throws: A configuration error for a landmark that the topology does not have.
    public init(_ options: Options, of topology: Topology = .hand21) throws {
        self = try BuildContext.made { Select(options, PointChoice(options, topology, $0)) }
    }

    init(_ options: Options, _ points: PointChoice) {
        handedness = options.handedness
        facing = options.facing
        self.points = points
    }

    public func output(for input: PortType) -> PortType { points.output(for: input, as: Landmarks.self) }

    public mutating func process(
        _ landmarks: Landmarks, _ header: borrowing Header, into emitter: borrowing Emitter<Landmarks>
    ) throws {
        guard handedness?.fits(landmarks.handedness) ?? true, facing?.fits(landmarks) ?? true else {
            return emitter.drop("filtered")
        }
        guard !points.isWhole else {
            try landmarks.check()
            return emitter.emit(landmarks)
        }
        try points.take(landmarks, into: &output)
        emitter.emit(output)
    }
}

extension Select: StageComponent {
    /// The hands to select.
    public enum Handedness: String, OptionChoice {
        /// Left hands.
        case left
        /// Right hands.
        case right

        func fits(_ name: String?) -> Bool {
            self == .left ? name == "Left" || name == "left" : name == "Right" || name == "right"
        }
    }

    /// The side of a hand that faces the camera.
    public enum Facing: String, OptionChoice {
        /// The palm.
        case palm
        /// The back.
        case back

        /// Returns whether this side of a hand faces the camera; `false` for a hand of unknown handedness.
        func fits(_ hand: Landmarks) -> Bool {
            let isRight = Handedness.right.fits(hand.handedness)
            guard isRight || Handedness.left.fits(hand.handedness), hand.points.count == 21 else { return false }
            let (index, little) = (hand.points[5].minus(hand.points[0]), hand.points[17].minus(hand.points[0]))
            // For a right palm held up toward the viewer, the index finger is on the right.
            let isPalm = (index.x * little.y < index.y * little.x) == isRight
            return isPalm == (self == .palm)
        }
    }

    /// A topology that others can be reduced to.
    public enum Reduced: String, OptionChoice {
        /// The 17 points of COCO, taken from MediaPipe's 33.
        case pose17
    }

    /// The conditions. An absent one selects everything.
    public struct Options: ComponentOptions {
        @Option(
            "Landmarks and groups, in the order of the output: names of MediaPipe or of Vision, or numbers.",
            example: "[wrist, thumb, INDEX_FINGER_TIP]")
        public var landmarks: [LandmarkName] = []

        @Option("Topology with fewer points to reduce to.", example: "pose17")
        public var topology: Reduced?

        @Option("Hands to select.", example: "right")
        public var handedness: Handedness?

        @Option(
            "Side of the hand that faces the camera, palm or back, derived from the handedness and the positions of the knuckles.",
            example: "palm")
        public var facing: Facing?

        @Option(
            "Largest number of hands per frame: those with the best scores, best first.", in: 1...1000,
            example: "2")
        public var maxHands: Int?

        public init() {}

        public func check(_ node: ConfigNode, _ context: DecodingContext) {
            if let empty = node["landmarks"], landmarks.isEmpty, empty.sequence?.isEmpty == true {
                context.findings.error(
                    "option.empty", "\"landmarks\" is empty", at: empty.span, path: context.path + ".landmarks",
                    help: "leave landmarks out to keep all of them")
            }
            guard topology != nil, !landmarks.isEmpty else { return }
            context.findings.error(
                "option.conflict", "\"topology\" and \"landmarks\" both select landmarks",
                at: node["topology"]?.span, path: context.path + ".topology", help: "leave one of them out")
        }
    }

    public static let manifest = Manifest(
        name: "select",
        summary: "Selects landmarks, and hands",
        details: """
            `landmarks` names points and groups of the input's topology, which is `hand21` unless the source declares another. \
            The topology of the output lists the selected points, as in `hand21(wrist,thumbTip)`, so they keep their names. For \
            `hands`, `handedness`, `facing` and `max_hands` remove hands; the frame is passed on even if no hand is left. Single \
            `landmarks` that do not meet the conditions are dropped as `filtered`, which does not count as a loss. For \
            `max_hands`, hands without a score come last. `facing` requires hands of 21 landmarks whose y grows downward and \
            whose handedness is known, as MediaPipe reports it.
            """,
        drops: ["filtered"],
        example: """
            version: 1
            name: select-example
            sources:
              - stdin: { kind: hands }
            stages:
              - select: { landmarks: [wrist, thumb, indexTip], handedness: right, max_hands: 1 }
            sinks:
              - stdout
            """)

    public static let makes = Production.same

    public static func accepts(_ options: Options) -> Acceptance { .one(of: landmarkSetPorts) }

    public static func make(_ options: Options, for input: PortType, _ context: BuildContext) throws -> any Stage {
        let points = PointChoice(options, input.topology, context)
        if options.facing != nil, input.topology != .hand21 || input.verticalDirection == .up {
            context.report(
                .error, "select.facing", "facing requires hand21 with y downwards, but \(input) arrives",
                option: "facing",
                help: input.topology == .hand21
                    ? "put convert: { flip_y: true } before, or leave facing out"
                    : "put select where hand21 arrives, or leave facing out")
        }
        if input.payload is Hands.Type { return SelectHands(options, points) }
        if options.maxHands != nil {
            context.report(
                .error, "select.one_hand", "max_hands looks at hands, but \(input.kind) arrives", option: "max_hands",
                help: "leave max_hands out")
        }
        return Select(options, points)
    }
}
