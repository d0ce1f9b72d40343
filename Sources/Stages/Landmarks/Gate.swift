import Pipeline
import PipelineComponents

/// Passes landmarks if the detector is confident enough, and bridges short dropouts.
///
/// Two thresholds (hysteresis) keep the gate from opening and closing in quick succession. Before it closes, it repeats the last
/// good landmarks for a hold time and a release time, like the noise gate of a mixing desk. Complexity: O(points).
public struct Gate: Stage {
    private let options: Gate.Options
    private let rule: GateRule
    private var state: GateState
    private var hasWarned = false

    /// Creates a gate for single sets of landmarks.
    ///
    /// - Throws: A configuration error for a landmark that the topology does not have.
    public init(_ options: Options, of topology: Topology = .hand21) throws {
        self = try BuildContext.made { Gate(options, GateRule(options, topology, $0)) }
    }

    init(_ options: Options, _ rule: GateRule) {
        self.options = options
        self.rule = rule
        state = GateState(options)
    }

    /// - Throws: A frame error for numbers that are not finite, and for landmarks of another topology if the options name
    ///   landmarks.
    public mutating func process(
        _ payload: Landmarks, _ header: borrowing Header, into emitter: borrowing Emitter<Landmarks>
    ) throws {
        let judgment = try rule.judge(payload, isOpen: state.isOpen(at: header.timestamp))
        if judgment.missingConfidence != nil, !hasWarned {
            hasWarned = say(judgment.missingConfidence, header.stream, emitter)
        }
        switch state.decide(judgment.reason, at: header.timestamp) {
        case .pass:
            if options.holdsLast { state.keep(payload, at: header.timestamp) }
            emitter.emit(payload)
        case .hold(let landmarks): emitter.emit(landmarks)
        case .fail(let reason):
            guard options.onFail == .mark else { return emitter.drop(reason) }
            var marked = payload
            marked.doubt = reason.description
            emitter.emit(marked)
        }
    }
}

extension Gate: StageComponent {
    /// The treatment of landmarks that do not pass.
    public enum Failure: String, OptionChoice {
        /// They are dropped, with the reason.
        case drop
        /// They are passed on, with the reason as their doubt.
        case mark
    }

    /// The treatment of a confidence that the data do not contain.
    public enum Missing: String, OptionChoice {
        /// It counts as high enough. This is logged once per run.
        case pass
        /// It counts as too low.
        case fail
    }

    public struct Options: ComponentOptions {
        @Option("Requirements on the confidences of single landmarks.")
        public var landmarks: LandmarkGateOptions?

        @Option(
            "Confidence that landmarks need to open a closed gate; together with leave, it replaces landmarks.threshold.",
            in: 0...1, example: "0.5")
        public var enter: Double?

        @Option("Confidence that landmarks need to keep an open gate open.", in: 0...1, example: "0.3")
        public var leave: Double?

        @Option("Lowest score of the detection that passes; 0.5 by default.", in: 0...1, example: "0.5")
        public var minDetection: Double?

        @Option("Lowest presence (MediaPipe's hand presence) that passes; 0.5 by default.", in: 0...1, example: "0.5")
        public var minPresence: Double?

        @Option(
            "Time for which the last good landmarks replace bad ones.", in: 0...3_600_000)
        public var holdMs = 0.0

        @Option(
            "Time after hold_ms for which the last good landmarks still replace bad ones, with confidences and scores that fade to 0. Then the gate closes.",
            in: 0...3_600_000)
        public var releaseMs = 0.0

        @Option(
            "What happens to landmarks that do not pass: dropped with the reason, or passed on with the reason as their doubt."
        )
        public var onFail = Failure.drop

        @Option(
            "How to count a confidence that an option requires but the data lack: as high enough (logged once per run), or as too low."
        )
        public var missing = Missing.pass

        /// Whether the last good landmarks may be emitted again.
        var holdsLast: Bool { holdMs + releaseMs > 0 }

        public init() {}

        public func check(_ node: ConfigNode, _ context: DecodingContext) {
            if (enter == nil) != (leave == nil) {
                let (given, lacking) = enter == nil ? ("leave", "enter") : ("enter", "leave")
                context.findings.error(
                    "option.missing", "\(given) needs \(lacking)", at: node[given]?.span, path: context.path,
                    help: "add \(lacking):, or write landmarks: { threshold: … }")
            }
            if let enter, let leave, enter < leave {
                context.findings.error(
                    "option.conflict", "leave must not be more than enter",
                    at: node["leave"]?.span, path: context.path + ".leave",
                    label: "more than enter, which is \(shortDecimal(enter))")
            }
            if enter != nil, let threshold = node["landmarks"]?["threshold"] {
                context.findings.error(
                    "option.conflict", "\"threshold\" and \"enter\" both set what opens the gate", at: threshold.span,
                    path: context.path + ".landmarks.threshold", help: "leave threshold out")
            }
        }
    }

    public static let manifest = Manifest(
        name: "gate",
        summary: "Passes landmarks if the detector is confident enough",
        details: """
            A confidence passes if it is not below its threshold. Landmarks that do not pass are dropped as `low_confidence` \
            (single landmarks), `low_detection`, `low_presence` or `missing_confidence`, or marked with that reason (`doubt`). A \
            gate is open after good landmarks. For `hold_ms` the last good landmarks replace bad ones, then for `release_ms` with \
            fading confidences and scores; both are marked `held`. Then the gate closes. With `enter` and `leave`, opening a \
            closed gate takes more confidence than keeping it open.

            For `hands`, every hand has its own gate, which belongs to its track or, without one, to its index in the list. Hands \
            that do not pass are removed and the frame goes on, possibly without any hands. A hand that disappears is held like \
            one that does not pass.
            """,
        drops: ["low_detection", "low_presence", "low_confidence", "missing_confidence"],
        example: """
            version: 1
            name: gate-example
            sources:
              - stdin: { kind: landmarks }
            stages:
              - gate: { landmarks: { threshold: 0.3, of: [wrist, thumbTip] }, hold_ms: 100 }
            sinks:
              - stdout
            """)

    public static let makes = Production.same

    public static func accepts(_ options: Options) -> Acceptance { .one(of: landmarkSetPorts) }

    public static func make(_ options: Options, for input: PortType, _ context: BuildContext) throws -> any Stage {
        let rule = GateRule(options, input.topology, context)
        return input.payload is Hands.Type ? GateHands(options, rule) : Gate(options, rule)
    }
}

/// Logs, once per run, that a confidence is missing and therefore not checked. Always returns `true`.
func say<P: Payload>(_ missing: String?, _ stream: StreamID, _ emitter: borrowing Emitter<P>) -> Bool {
    let missing = missing ?? "confidence"
    emitter.logOnce(.warning, about: missing, "\(stream.name) carries no \(missing), so this is not checked")
    return true
}
