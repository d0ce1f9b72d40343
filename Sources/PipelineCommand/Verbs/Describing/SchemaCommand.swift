import Pipeline
import PipelineConfiguration
import Stages

extension Command {
    /// `pipectl schema`.
    static let schema: Command = Command(
        "schema", "write the JSON Schema of configurations",
        details: "Editors use it to complete and check pipelines: # yaml-language-server: $schema=pipeline.schema.json",
        examples: [
            Example("pipectl schema > pipeline.schema.json", "Writes it to a file")
        ]
    ) { invocation, console in
        try console.writeResult(JSONSchema(invocation.tool.registry).document.document)
        return .done
    }
}
