import Pipeline
import PipelineComponents
import Stages

/// What the configuration of a source declares about its landmarks. The graph is checked against these traits. They also apply to
/// messages that do not carry this information themselves.
public struct LandmarkTraits: SharedOptions, Hashable {
    public static let title = "Landmark options"

    @Option(
        "Coordinate space of the landmarks. A message with a different space is an error.", example: "normalized")
    public var space: CoordinateSpace?

    @Option(
        "Direction in which the y coordinate of landmarks grows: down from the upper left corner (MediaPipe), or up (Vision).",
        example: "down")
    public var y: VerticalDirection?

    @Option(
        "Set of landmarks: hand21, pose33, pose17, face478, or your own with its points. A message with a different set is an error.",
        example: "\"tool(tip, middle, end)\"")
    public var topology: TopologyName?

    public init() {}

    /// The attributes of the source's output port.
    var attributes: [String: String] {
        var attributes: [String: String] = [:]
        attributes["space"] = space?.rawValue
        attributes["y"] = y?.rawValue
        attributes["topology"] = topology?.topology.identifier
        return attributes
    }
}
