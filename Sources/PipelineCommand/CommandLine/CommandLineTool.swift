import Connectors
import Pipeline
import PipelineComponents
import Stages

/// A program with all verbs of `pipectl`, for the components of a registry.
///
/// A program that adds its own stages needs nothing else:
///
///     import Connectors
///     import PipelineCommand
///     import PipelineComponents
///
///     @main
///     struct Custom {
///         static func main() async {
///             var registry = Registry.standard
///             registry.add(Thin.self)
///             await CommandLineTool("custom", version: "1.0.0", registry: registry).main()
///         }
///     }
public struct CommandLineTool: Sendable {
    /// The program's name, as help, messages and completion show it.
    public let name: String
    /// The version that `--version` shows.
    public let version: String
    /// The sources, stages and sinks that pipelines can use.
    public let registry: Registry

    /// Creates a program.
    ///
    /// - Parameters:
    ///   - name: The program's name, which is the name of its executable.
    ///   - version: The version that `--version` shows.
    ///   - registry: The sources, stages and sinks that pipelines can use.
    public init(_ name: String, version: String, registry: Registry = .standard) {
        self.name = name
        self.version = version
        self.registry = registry
    }
}
