import Pipeline

/// Takes some landmarks of every set, and some hands of every frame.
public enum Select: StageComponent {
    /// Which hands.
    public enum Handedness: String, OptionChoice {
        /// Left hands.
        case left
        /// Right hands.
        case right

        func fits(_ name: String?) -> Bool {
            self == .left ? name == "Left" || name == "left" : name == "Right" || name == "right"
        }
    }

    /// A topology that another can be reduced to.
    public enum Reduced: String, OptionChoice {
        /// The 17 points of COCO, out of those of MediaPipe.
        case pose17
    }

    /// The options. What is not given leaves everything.
    public struct Options: ComponentOptions {
        /// The landmarks wanted.
        public var landmarks: [LandmarkName] = []
        /// The topology wanted.
        public var topology: Reduced?
        /// The hands wanted.
        public var handedness: Handedness?
        /// How many hands at most.
        public var maxHands: Int?

        /// All defaults.
        public init() {}

        /// The declared options.
        public static var options: [Option<Options>] {
            Option(
                "landmarks", \.landmarks,
                "Landmarks and groups, in the order wanted: names of MediaPipe or of Vision, or numbers.",
                example: "[wrist, thumb, INDEX_FINGER_TIP]")
            Option("topology", \.topology, "A topology with fewer points to reduce to.", example: "pose17")
            Option("handedness", \.handedness, "The hands wanted.", example: "right")
            Option(
                "max_hands", \.maxHands, in: 1...1000,
                "How many hands of a frame go on at most: those with the best scores, best first.", example: "2")
        }

        public func check(_ node: ConfigNode, _ context: DecodingContext) {
            if let empty = node["landmarks"], landmarks.isEmpty, empty.sequence?.isEmpty == true {
                context.findings.error(
                    "option.empty", "\"landmarks\" names none", at: empty.span, path: context.path + ".landmarks",
                    help: "leave landmarks out to keep all of them")
            }
            guard topology != nil, !landmarks.isEmpty else { return }
            context.findings.error(
                "option.conflict", "\"topology\" and \"landmarks\" both say which landmarks are wanted",
                at: node["topology"]?.span, path: context.path + ".topology", help: "leave one of them out")
        }
    }

    /// What it says about itself.
    public static let manifest = Manifest(
        name: "select",
        summary: "Takes some of the landmarks, and some of the hands",
        details: """
            `landmarks` names points and groups of the topology that arrives, which is `hand21` unless the source says \
            otherwise. What comes out says its points in its topology, `hand21(wrist,thumbTip)`, and keeps their names. Of \
            `hands`, `handedness` and `max_hands` let some go and the frame goes on, possibly without any; single \
            `landmarks` of another hand are dropped as `filtered`, which is no loss. Hands without a score come last.
            """,
        takes: "landmarks or hands", makes: "landmarks or hands, as it takes",
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

    /// Takes landmarks and hands.
    public static func accepts(_ options: Options) -> Acceptance { .one(of: landmarkSetPorts) }

    /// Makes the stage for what arrives.
    public static func make(_ options: Options, for input: PortType, _ context: BuildContext) throws -> any Stage {
        let points = PointChoice(options, input.topology, context)
        if input.payload is Hands.Type { return SelectHandsStage(options, points) }
        if options.maxHands != nil {
            context.report(
                .error, "select.one_hand", "max_hands looks at hands, but \(input.kind) arrives", option: "max_hands",
                help: "leave max_hands out")
        }
        return SelectLandmarksStage(options, points)
    }

    /// A selection among single landmarks, for use without a configuration.
    ///
    /// - Throws: A configuration error for a landmark that the topology does not have.
    public static func landmarks(
        _ options: Options, of topology: Topology = .hand21
    ) throws -> some Stage<Landmarks, Landmarks> {
        try BuildContext.made { SelectLandmarksStage(options, PointChoice(options, topology, $0)) }
    }

    /// The same among hands.
    public static func hands(_ options: Options, of topology: Topology = .hand21) throws -> some Stage<Hands, Hands> {
        try BuildContext.made { SelectHandsStage(options, PointChoice(options, topology, $0)) }
    }
}

/// Which points of a topology to take.
struct PointChoice: Sendable {
    /// The topology that arrives.
    let topology: Topology

    /// What is made of it.
    let part: Topology

    /// The places taken, in order; `nil` for all.
    private let places: [Int]?

    /// Reads the options; reports what the topology does not have.
    init(_ options: Select.Options, _ topology: Topology, _ context: BuildContext) {
        self.topology = topology
        if options.topology != nil {
            let names = Topology.pose17.points
            places = names.compactMap { topology.place(of: $0) }
            part = .pose17
            if places?.count != names.count {
                context.report(
                    .error, "select.topology", "\(topology.identifier) does not have the points of pose17",
                    option: "topology")
            }
        } else if !options.landmarks.isEmpty {
            let named = options.landmarks.places(in: topology, context)
            places = named
            part = topology.part(named)
        } else {
            places = nil
            part = topology
        }
    }

    /// Whether everything is taken, of any topology.
    var isWhole: Bool { places == nil }

    /// The port behind the stage.
    func output<P: LandmarkSet>(for input: PortType, as payload: P.Type) -> PortType {
        var attributes = input.attributes
        if places != nil { attributes["topology"] = part.identifier }
        return PortType(P.self, attributes: attributes)
    }

    /// Takes the points of `old`. O(points).
    ///
    /// - Throws: A frame error for landmarks of another topology, and for numbers that are not finite.
    func take(_ old: Landmarks, into new: inout Landmarks) throws {
        guard let places else {
            try old.check()
            new = old
            return
        }
        try old.check(topology)
        new.copyHeader(of: old)
        new.topology = part.identifier
        new.points.removeAll(keepingCapacity: true)
        new.confidences.removeAll(keepingCapacity: true)
        new.world.removeAll(keepingCapacity: true)
        for place in places {
            new.points.append(old.points[place])
            if !old.confidences.isEmpty { new.confidences.append(old.confidences[place]) }
            if !old.world.isEmpty { new.world.append(old.world[place]) }
        }
    }
}

/// Takes some of single landmarks.
struct SelectLandmarksStage: Stage {
    private let handedness: Select.Handedness?
    private let points: PointChoice
    private var output = Landmarks.empty

    init(_ options: Select.Options, _ points: PointChoice) {
        handedness = options.handedness
        self.points = points
    }

    func output(for input: PortType) -> PortType { points.output(for: input, as: Landmarks.self) }

    mutating func process(
        _ landmarks: consuming Landmarks, _ header: borrowing Header, into emitter: borrowing Emitter<Landmarks>
    ) throws {
        guard handedness?.fits(landmarks.handedness) ?? true else { return emitter.drop("filtered") }
        guard !points.isWhole else {
            try landmarks.check()
            return emitter.emit(landmarks)
        }
        try points.take(landmarks, into: &output)
        emitter.emit(output)
    }
}

/// Takes some of the hands of a frame, and some of their landmarks.
struct SelectHandsStage: Stage {
    private let options: Select.Options
    private let points: PointChoice
    private var output = Hands.empty
    /// The hands of a frame that are taken, by their places in it.
    private var kept: [Int] = []

    init(_ options: Select.Options, _ points: PointChoice) {
        self.options = options
        self.points = points
    }

    func output(for input: PortType) -> PortType { points.output(for: input, as: Hands.self) }

    mutating func process(_ hands: Hands, _ header: borrowing Header, into emitter: borrowing Emitter<Hands>) throws {
        choose(hands.hands)
        output.hands.resize(to: kept.count, filler: .empty)
        for (place, index) in kept.enumerated() {
            try points.take(hands.hands[index], into: &output.hands[place])
        }
        emitter.emit(output)
    }

    private mutating func choose(_ hands: [Landmarks]) {
        kept.removeAll(keepingCapacity: true)
        for (index, hand) in hands.enumerated() where options.handedness?.fits(hand.handedness) ?? true {
            guard let limit = options.maxHands else {
                kept.append(index)
                continue
            }
            // The best so far, best first; of equals the earlier.
            let score = hand.score ?? -1
            let place = kept.firstIndex { (hands[$0].score ?? -1) < score } ?? kept.count
            kept.insert(index, at: place)
            if kept.count > limit { kept.removeLast() }
        }
    }
}
