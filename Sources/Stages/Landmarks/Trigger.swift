import Pipeline
import PipelineComponents

/// Fires once when a measure enters a range, and arms again when the measure is at rest. Complexity: O(1) per frame.
public struct Trigger: Stage {
    private let options: Trigger.Options
    private let place: Int
    private var state = ArmedSwitch()
    private var output: Recognition

    /// Creates a trigger.
    ///
    /// - Parameters:
    ///   - options: The options. `measure` is ignored.
    ///   - place: The index of the measure in the vectors.
    public init(_ options: Options, place: Int = 0) {
        self.options = options
        precondition(place >= 0, "the index must be at least 0, not \(place)")
        self.place = place
        output = Recognition(
            categories: [.init(name: options.name, index: 0, score: 1)], margin: 1, matcher: "trigger")
    }

    /// - Throws: A frame error for a vector that is too short (`trigger.count`), and for a measure that is not finite.
    public mutating func process(
        _ payload: FeatureVector, _ header: borrowing Header, into emitter: borrowing Emitter<Recognition>
    ) throws {
        let values = payload.values
        guard place < values.count else {
            throw PipelineError.frame("trigger.count", "a vector of \(values.count) numbers has no index \(place)")
        }
        let value = values[place]
        guard value.isFinite else { throw PipelineError.frame("vector.not_finite", "the measure is not finite") }
        let isIn = options.above.map { value > $0 } ?? options.below.map { value < $0 } ?? false
        let isAtRest = options.rest.map { options.above == nil ? value >= $0 : value <= $0 } ?? true
        let fires = state.update(isIn: isIn, isAtRest: isAtRest)
        guard fires || options.emitNone else { return emitter.drop("no_match") }
        output.start = payload.start
        output.end = payload.end
        output.label = payload.label
        emitter.emit(fires ? output : .nothing(output.matcher, output.start, output.end, output.label))
    }
}

extension Trigger: StageComponent {
    public struct Options: ComponentOptions {
        @Option("Name of the recognition.", isRequired: true, example: "pinch")
        public var name = ""

        @Option(
            "Measure to watch, by its name in measure or its index in the vector. By default the one with the name of the recognition, or the only one.",
            example: "pinch")
        public var measure: String?

        @Option("Fires when the measure is above this.", in: -1e12...1e12, example: "2")
        public var above: Double?

        @Option("Fires when the measure is below this.", in: -1e12...1e12, example: "0.3")
        public var below: Double?

        @Option(
            "Value that the measure must return to before it can fire again; the threshold itself by default.",
            in: -1e12...1e12, example: "0.5")
        public var rest: Double?

        @Option("Whether to emit None for frames in which nothing fires.")
        public var emitNone = false

        public init() {}

        public func check(_ node: ConfigNode, _ context: DecodingContext) {
            context.check(recognitionName: name, of: "name", node)
            guard (above == nil) != (below == nil) else {
                context.findings.error(
                    "trigger.range",
                    "exactly one of above and below is needed, but \(above == nil ? "neither is" : "both are") given",
                    at: node.span, path: context.path, help: "as in below: 0.3, rest: 0.5")
                return
            }
            guard let rest, above.map({ rest > $0 }) ?? below.map({ rest < $0 }) ?? false else { return }
            context.findings.error(
                "trigger.rest", "a measure that has just fired would already be at rest", at: node["rest"]?.span,
                path: context.path + ".rest",
                help: above == nil ? "rest must not be below the threshold" : "rest must not be above the threshold")
        }
    }

    public static let manifest = Manifest(
        name: "trigger",
        summary: "Recognizes the moment at which a measure enters a range",
        details: """
            Fires `name`, with score 1, once when the measure is `above` or `below` its threshold, in the first frame too. It can \
            fire again once the measure has returned to `rest` or beyond. Frames in between are dropped as `no_match`, which does \
            not count as a loss.
            """,
        drops: ["no_match"],
        example: """
            version: 1
            name: trigger-example
            sources:
              - stdin: { kind: landmarks }
            stages:
              - measure:
                  pinch: { distance: [thumbTip, indexTip], per: palm }
              - trigger: { name: pinch, below: 0.25, rest: 0.4 }
            sinks:
              - stdout
            """)

    public static let makes = Production.of(Recognition.self)

    public static func accepts(_ options: Options) -> Acceptance { .one(of: [PortType(FeatureVector.self)]) }

    public static func make(_ options: Options, for input: PortType, _ context: BuildContext) throws -> any Stage {
        Trigger(options, place: place(options, input, context))
    }

    /// Returns the index of the measure in the input vectors; reports a measure that does not exist.
    private static func place(_ options: Options, _ input: PortType, _ context: BuildContext) -> Int {
        let names = input.attributes["names"]?.split(separator: ",").map(String.init) ?? []
        let wanted = options.measure ?? options.name
        if let place = names.firstIndex(of: wanted) { return place }
        if options.measure == nil, names.count == 1 { return 0 }
        if let place = Int(wanted), place >= 0, names.isEmpty || place < names.count { return place }
        if options.measure == nil, names.isEmpty { return 0 }
        context.report(
            .error, "trigger.unknown_measure",
            names.isEmpty
                ? "the numbers of the incoming vectors have no names" : "no measure is called \"\(wanted)\"",
            option: options.measure == nil ? "name" : "measure",
            help: names.isEmpty
                ? "write measure: with the index of the number, from 0"
                : suggestion(for: wanted, among: names, list: "there are").map { "\($0); write it as measure:" })
        return 0
    }
}

extension DecodingContext {
    /// Reports the name of a recognition, given by an option, if it is empty or `None`.
    func check(recognitionName name: String, of option: String, _ node: ConfigNode) {
        guard let node = node[option] else { return }
        let path = descending(option).path
        if name.isEmpty {
            findings.error(
                "option.empty", "\"\(option)\" is empty", at: node.span, path: path,
                help: "write the name of the recognition")
        }
        if name == Recognition.Category.none.name {
            findings.error(
                "option.name", "\"None\" means that nothing was recognized", at: node.span, path: path,
                help: "write another name for the recognition")
        }
    }
}

extension Recognition {
    /// Creates a recognition of None.
    static func nothing(_ matcher: String, _ start: Timestamp, _ end: Timestamp, _ label: String?) -> Recognition {
        Recognition(categories: [.none], margin: 0, matcher: matcher, start: start, end: end, label: label)
    }
}
