import Pipeline
import PipelineComponents
import Stages

/// A topology as an option value. The configuration gives its name, or a name with the points: `tool(tip, middle, end)`.
public struct TopologyName: OptionValue, Hashable {
    /// The topology that the name stands for.
    public let topology: Topology

    /// Creates the name of a topology.
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
