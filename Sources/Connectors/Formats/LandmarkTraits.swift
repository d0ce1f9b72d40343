import Pipeline
import PipelineComponents
import Stages

/// What a source is told of the landmarks it brings: what the graph is checked with, and what messages that do not say it
/// themselves are taken to mean.
public struct LandmarkTraits: SharedOptions, Hashable {
    public static let title = "Landmark options"

    @Option(
        "Space of the coordinates of landmarks. A message that says otherwise is an error.", example: "normalized")
    public var space: CoordinateSpace?

    @Option(
        "Direction in which the y of landmarks grows: down from the upper left corner (MediaPipe), or up (Vision).",
        example: "down")
    public var y: VerticalDirection?

    @Option(
        "Set of landmarks: hand21, pose33, pose17, face478, or your own with its points. A message that says otherwise is an error.",
        example: "\"tool(tip, middle, end)\"")
    public var topology: TopologyName?

    public init() {}

    /// The attributes of the port behind the source.
    var attributes: [String: String] {
        var attributes: [String: String] = [:]
        attributes["space"] = space?.rawValue
        attributes["y"] = y?.rawValue
        attributes["topology"] = topology?.topology.identifier
        return attributes
    }
}

/// A topology as a configuration names it.
public struct TopologyName: OptionValue, Hashable {
    /// What it stands for.
    public let topology: Topology

    /// Names a topology.
    public init(_ topology: Topology) { self.topology = topology }

    public static var schema: ValueSchema { .string }
    public var yaml: String? { topology.identifier }

    public static func decode(_ node: ConfigNode, _ context: DecodingContext) -> TopologyName? {
        guard let text = String.decode(node, context) else { return nil }
        do {
            return TopologyName(try Topology(identifier: text))
        } catch {
            context.findings.error(error.code, error.message, at: node.span, path: context.path, help: error.help)
            return nil
        }
    }
}

/// The options of a source that may bring landmarks.
public protocol LandmarkSourceOptions: ComponentOptions {
    /// What it brings.
    var kind: PayloadKind { get }

    /// What it is told of landmarks.
    var landmarks: LandmarkTraits { get set }

    /// How it reads messages.
    var decode: DecodeOptions { get set }
}

extension LandmarkSourceOptions {
    /// What is known of landmarks before anything is read: what it is told, and what a preset says.
    var knownLandmarks: LandmarkTraits { decode.landmarks(landmarks, for: kind) }

    /// Reports options about landmarks of a source that brings none.
    func checkLandmarks(_ node: ConfigNode, _ context: DecodingContext) {
        guard !kind.holdsLandmarks else { return }
        for name in ["space", "y", "topology"] where !(node[name]?.isNull ?? true) {
            context.findings.error(
                "option.conflict", "\"\(name)\" means nothing for kind \(kind.name)", at: node[name]?.span,
                path: context.path + ".\(name)", help: "leave it out, or write kind: landmarks or kind: hands")
        }
    }
}
