import PipelineCommand

/// The `pipectl` program: all verbs, for the components that ship with the project.
@main
struct Pipectl {
    static func main() {
        CommandLineTool("pipectl", version: "0.1.0").main()
    }
}
