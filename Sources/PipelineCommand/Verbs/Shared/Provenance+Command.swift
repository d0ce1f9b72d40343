import Pipeline
import PipelineConfiguration

extension [Provenance] {
    /// Creates the metadata that a recording stores about its run: the program, the text of the configuration, and the overrides.
    init(_ tool: CommandLineTool, _ loaded: LoadedConfiguration, overrides: [String]) {
        self = [Provenance(tool.name, tool.version), Provenance("name", loaded.plan.name)]
        if let text = loaded.text { append(Provenance("configuration", text.whole)) }
        self += overrides.map { Provenance("set", $0) }
    }
}
