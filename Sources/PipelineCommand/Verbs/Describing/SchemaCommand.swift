import Pipeline
import PipelineConfiguration
import Stages

extension Command {
    /// `pipectl schema`.
    static let schema: Command = Command(
        "schema", "write the JSON Schema of configurations",
        details: """
            Editors use the schema to complete and check pipelines that begin with this line: \
            # yaml-language-server: $schema=pipeline.schema.json
            """,
        examples: [
            Example("pipectl schema > pipeline.schema.json", "Writes the schema to a file")
        ]
    ) { invocation, console in
        try console.writeResult(JSONSchema(invocation.tool.registry).document.document)
        return .done
    }
}
