import Pipeline
import PipelineConfiguration

extension Command {
    private static let graphFormat = Flag<GraphDrawing.Format>.choice(
        "format", default: .text, "The format of the drawing")

    /// `pipectl graph CONFIG`.
    static let graph: Command = Command(
        "graph", "draw the graph of a pipeline, with the types on its edges",
        arguments: [PipelineLoading.config],
        flags: [PipelineLoading.set.description, graphFormat.description],
        examples: [
            Example("pipectl graph Configs/strokes.yaml", "Draws the graph in the terminal"),
            Example(
                "pipectl graph --format=dot Configs/strokes.yaml | dot -Tsvg > strokes.svg",
                "Draws the graph as an image"),
            Example("pipectl graph --format=mermaid Configs/strokes.yaml", "Draws the graph for a Markdown page"),
        ]
    ) { invocation, console in
        let plan = try PipelineLoading.plan(invocation.words[0], invocation, console).get()
        try console.writeResult(GraphDrawing(plan).draw(invocation[graphFormat] ?? .text))
        return .done
    }
}
