import PipelineCommand

/// The program: all verbs, for the components that ship with it.
@main
struct Pipectl {
    static func main() async {
        await CommandLineTool("pipectl", version: "0.1.0").main()
    }
}
