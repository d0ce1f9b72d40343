import Pipeline
import PipelineComponents

/// Measures landmarks: distances, angles and differences, with names of the user's choice. Complexity: O(measures) per frame.
public struct Measure: StageComponent {
    /// The options. Every option is a measure, with a name of the user's choice.
    public struct Options: ComponentOptions {
        @Option(
            anyName: "name", "A measure under a name of your own. Each is one number of the vector, in order.",
            example: "{ distance: [thumbTip, indexTip], per: palm }")
        public var measures = NamedOptions<MeasureOptions>()

        public init() {}

        public func check(_ node: ConfigNode, _ context: DecodingContext) {
            for entry in node.mapping ?? [] where entry.key.isEmpty || entry.key.contains(",") {
                context.findings.error(
                    "measure.name", "a measure needs a name without commas", at: entry.keySpan, path: context.path)
            }
            guard measures.entries.isEmpty else { return }
            context.findings.error(
                "measure.nothing", "nothing is measured", at: node.span, path: context.path,
                help: "add a measure under a name, as in pinch: { distance: [thumbTip, indexTip], per: palm }")
        }
    }

    public static let manifest = Manifest(
        name: "measure",
        summary: "Measures distances, angles and differences of landmarks",
        details: """
            Emits a vector with one number for each measure, in the order of the configuration; `trigger` finds them by name. A \
            measure is one of

            - `distance: [a, b]`, from one landmark to another;
            - `angle: [a, b, c]`, at b, from 0 (folded) to 180 degrees (straight);
            - `difference: [a, b]` with `axis`, the coordinate of a minus that of b.

            `per: palm` divides distances and differences by the palm's extent: the largest distance between any two of the wrist \
            and the knuckles, which changes least when the hand turns. `per: box` divides by the mean of the width and \
            height of the bounding box. Distances and angles use x and y, and in the space `world` also z. The frame is refused if \
            a palm or a box has no extent, or if two points of an angle coincide. `normalized` coordinates of an image that is not \
            square are stretched: `convert` to pixels first.
            """,
        isPure: true,
        example: """
            version: 1
            name: measure-example
            sources:
              - stdin: { kind: landmarks }
            stages:
              - measure:
                  pinch: { distance: [thumbTip, indexTip], per: palm }
                  bend: { angle: [indexMCP, indexPIP, indexTip] }
            sinks:
              - stdout
            """)

    public static let makes = Production.of(FeatureVector.self)

    public static func accepts(_ options: Options) -> Acceptance { .one(of: [PortType(Landmarks.self)]) }

    public static func make(_ options: Options, for input: PortType, _ context: BuildContext) throws -> any Stage {
        MeasureStage(options, input.topology, context)
    }

    /// Creates a stage that measures, for use without a configuration.
    ///
    /// - Throws: A configuration error for a landmark that the topology does not have, and for an invalid measure.
    public static func stage(
        _ measures: KeyValuePairs<String, MeasureOptions>, of topology: Topology = .hand21
    ) throws -> some Stage<Landmarks, FeatureVector> {
        let options = Options { $0.measures = NamedOptions(measures.map { ($0.key, $0.value) }) }
        return try BuildContext.made { MeasureStage(options, topology, $0) }
    }
}

/// Measures landmarks of one topology.
struct MeasureStage: Stage {
    private let measures: [LandmarkMeasure]
    private let names: [String]
    private let topology: Topology
    private var output = FeatureVector(values: [])

    var isStateless: Bool { true }

    init(_ options: Measure.Options, _ topology: Topology, _ context: BuildContext) {
        self.topology = topology
        names = options.measures.entries.map(\.name)
        measures = options.measures.entries.compactMap { LandmarkMeasure($0.value, topology, context) }
    }

    func output(for input: PortType) -> PortType {
        PortType(FeatureVector.self, attributes: ["names": names.joined(separator: ",")])
    }

    /// - Throws: A frame error for landmarks of another topology, for numbers that are not finite, and for values that cannot be
    ///   measured (`measure.no_extent`).
    mutating func process(
        _ landmarks: Landmarks, _ header: borrowing Header, into emitter: borrowing Emitter<FeatureVector>
    ) throws {
        try landmarks.check(topology)
        let isWorld = landmarks.space == CoordinateSpace.world.rawValue
        output.values.removeAll(keepingCapacity: true)
        for (index, measure) in measures.enumerated() {
            guard let value = measure.value(landmarks.points, isWorld), value.isFinite else {
                throw PipelineError.frame(
                    "measure.no_extent",
                    "\(names[index]) cannot be measured: the landmarks of its reference length coincide")
            }
            output.values.append(value)
        }
        output.start = header.timestamp
        output.end = header.timestamp
        if output.label != landmarks.label { output.label = landmarks.label }
        output.subject = .landmarks(landmarks)
        emitter.emit(output)
        // A reference held any longer would keep the upstream stage from reusing the landmarks' memory.
        output.subject = nil
    }
}
