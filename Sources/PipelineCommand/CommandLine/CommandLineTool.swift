import Connectors
import Pipeline
import PipelineComponents
import Stages

/// A program with all verbs of `pipectl` for pipelines of the components in a registry.
///
/// A program that adds its own stages needs nothing else:
///
///     import Connectors
///     import PipelineCommand
///     import PipelineComponents
///
///     @main
///     struct Custom {
///         static func main() {
///             var registry = Registry.standard
///             registry.add(Thin.self)
///             CommandLineTool("custom", version: "1.0.0", registry: registry).main()
///         }
///     }
public struct CommandLineTool: Sendable {
    /// The program's name, as help, messages and completion show it.
    public let name: String
    /// The version that `--version` shows.
    public let version: String
    /// The sources, stages and sinks that pipelines can use.
    public let registry: Registry
    /// Explanations of the error codes of the program's own components. `explain` shows them after those of `pipectl`.
    public let explanations: [Explanation.Family]

    /// Creates a program.
    ///
    /// - Parameters:
    ///   - name: The program's name, which is the name of its executable.
    ///   - version: The version that `--version` shows.
    ///   - registry: The sources, stages and sinks that pipelines can use.
    ///   - explanations: Explanations of the error codes of the program's own components, by subject.
    public init(
        _ name: String, version: String, registry: Registry = .standard, explanations: [Explanation.Family] = []
    ) {
        self.name = name
        self.version = version
        self.registry = registry
        self.explanations = explanations
    }
}
