import Pipeline
import PipelineComponents

/// The requirements of `gate` on the confidences of single landmarks.
public struct LandmarkGateOptions: OptionGroup {
    @Option("Lowest confidence of a landmark that passes.", in: 0...1)
    public var threshold = 0.3

    @Option("Number of landmarks that must reach the threshold: all, any, or a number.")
    public var require = GateRequirement.all

    @Option("Landmarks and groups to check.", example: "[thumbTip, indexTip, wrist]")
    public var of: [LandmarkName] = ["all"]

    public init() {}
}

/// The number of landmarks that must reach the threshold.
public enum GateRequirement: OptionValue, Hashable {
    /// All landmarks.
    case all
    /// At least one landmark.
    case any
    /// At least this number of landmarks.
    case atLeast(Int)

    public static var schema: ValueSchema { .anyOf([.choice(["all", "any"]), .integer(min: 1, max: 1000)]) }

    public var yaml: String? {
        switch self {
        case .all: "all"
        case .any: "any"
        case .atLeast(let count): "\(count)"
        }
    }

    public static func decode(_ node: ConfigNode, _ context: DecodingContext) -> GateRequirement? {
        switch node.scalar?.text {
        case "all": return .all
        case "any": return .any
        case let text?:
            if node.scalar?.isPlain == true, let count = Int(text), (1...1000).contains(count) {
                return .atLeast(count)
            }
            context.mismatch(node, wanted: "all, any or a number from 1 to 1000")
        case nil: context.mismatch(node, wanted: "all, any or a number from 1 to 1000")
        }
        return nil
    }

    /// Returns the number of landmarks, of `count`, that must reach the threshold.
    func least(of count: Int) -> Int {
        switch self {
        case .all: count
        case .any: min(count, 1)
        case .atLeast(let least): least
        }
    }
}

/// Judges landmarks by their confidences. It is immutable and shared by all streams.
final class GateRule: Sendable {
    /// The result of judging landmarks.
    struct Judgment {
        /// The reason why the landmarks do not pass; `nil` if they pass.
        var reason: DropReason?
        /// The name of a confidence that is missing and therefore counts as high enough.
        var missingConfidence: String?
    }

    private let options: Gate.Options
    private let landmarks: LandmarkGateOptions?
    private let topology: Topology?
    /// The indices of the landmarks to check; `nil` for all, of any topology.
    private let places: [Int]?

    /// Creates a rule from options, and reports landmarks that the topology does not have.
    init(_ options: Gate.Options, _ topology: Topology, _ context: BuildContext) {
        self.options = options
        landmarks = options.landmarks ?? (options.enter == nil ? nil : LandmarkGateOptions())
        let named = landmarks?.of ?? []
        let isWhole = named.isEmpty || named.contains { $0.name == "all" }
        places = isWhole ? nil : named.places(in: topology, context)
        self.topology = isWhole ? nil : topology
        if case .atLeast(let count)? = landmarks?.require, let places, !places.isEmpty, count > places.count {
            context.report(
                .error, "gate.require", "\(count) of \(places.count) landmarks can never reach the threshold",
                option: "landmarks.require", help: "write all, or a number up to \(places.count)")
        }
    }

    /// Judges one set of landmarks. `isOpen` is the state of the gate before these landmarks. O(points).
    ///
    /// - Throws: A frame error for numbers that are not finite, and for another topology if the options name landmarks.
    func judge(_ landmarks: Landmarks, isOpen: Bool) throws -> Judgment {
        try landmarks.check(topology)
        var judgment = Judgment()
        check(landmarks.score, options.minDetection, "low_detection", "detection score", &judgment)
        check(landmarks.presence, options.minPresence, "low_presence", "presence", &judgment)
        if let wanted = self.landmarks { check(landmarks, wanted, isOpen, &judgment) }
        return judgment
    }

    private func check(
        _ value: Double?, _ least: Double?, _ reason: DropReason, _ name: String, _ judgment: inout Judgment
    ) {
        if let value {
            if value < least ?? 0.5, judgment.reason == nil { judgment.reason = reason }
        } else if let least, least > 0 {
            lack(name, &judgment)
        }
    }

    private func check(
        _ landmarks: Landmarks, _ wanted: LandmarkGateOptions, _ isOpen: Bool, _ judgment: inout Judgment
    ) {
        guard !landmarks.confidences.isEmpty else { return lack("confidence of landmarks", &judgment) }
        let threshold = (isOpen ? options.leave : options.enter) ?? wanted.threshold
        var sure = 0
        if let places {
            for place in places where landmarks.confidences[place] >= threshold { sure += 1 }
        } else {
            for confidence in landmarks.confidences where confidence >= threshold { sure += 1 }
        }
        let least = wanted.require.least(of: places?.count ?? landmarks.confidences.count)
        if sure < least, judgment.reason == nil { judgment.reason = "low_confidence" }
    }

    private func lack(_ name: String, _ judgment: inout Judgment) {
        if options.missing == .pass {
            if judgment.missingConfidence == nil { judgment.missingConfidence = name }
        } else if judgment.reason == nil {
            judgment.reason = "missing_confidence"
        }
    }
}
