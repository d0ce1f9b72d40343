import Pipeline

extension Command {
    private static let graphFormat = Flag<GraphDrawing.Format>.choice("format", default: .text, "How it is drawn")

    /// `pipectl graph CONFIG`.
    static let graph: Command = Command(
        "graph", "draw the graph of a pipeline, with what travels on its edges",
        arguments: [PipelineLoading.config],
        flags: [PipelineLoading.set.description, graphFormat.description],
        examples: [
            Example("pipectl graph Configs/demo.yaml", "Draws it in the terminal"),
            Example("pipectl graph --format=dot Configs/demo.yaml | dot -Tsvg > demo.svg", "Draws it as an image"),
            Example("pipectl graph --format=mermaid Configs/demo.yaml", "Writes it for a Markdown page"),
        ]
    ) { invocation, console in
        let plan = try PipelineLoading.plan(invocation.words[0], invocation, console).get()
        try console.writeResult(GraphDrawing(plan).draw(invocation[graphFormat] ?? .text))
        return .done
    }
}
