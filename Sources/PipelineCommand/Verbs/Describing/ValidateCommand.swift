import Pipeline
import PipelineComponents
import PipelineConfiguration

extension Command {
    /// `pipectl validate CONFIG…`: reports all errors and warnings, not only the first error.
    static let validate: Command = Command(
        "validate", "report everything that is wrong with pipelines",
        details: """
            Gesture libraries and similar files are read, but no source or sink is opened, and nothing is run: "pipectl doctor" \
            checks whether files, folders and addresses are there. The exit code is 0 if there is no error, 3 if all errors are \
            of the environment (such as a missing library), and 2 otherwise.
            """,
        arguments: [PipelineLoading.configs],
        flags: [PipelineLoading.set.description, Flags.format.description],
        examples: [
            Example("pipectl validate Configs", "Checks all pipelines in a folder"),
            Example(
                "pipectl listen tcp://127.0.0.1:5556 --suggest | pipectl validate -",
                "Checks a pipeline that another program writes"),
            Example("pipectl validate --format=json strokes.yaml", "Reports findings, places and fixes as data"),
        ]
    ) { invocation, console in
        let paths = try PipelineLoading.paths(invocation.words)
        let loaded = paths.map { PipelineLoading.load($0, invocation, console) }
        let diagnostics = loaded.flatMap(\.diagnostics)
        let errors = diagnostics.count { $0.severity == .error }
        if invocation[Flags.format] == .json {
            try console.writeOutcome(Diagnostic.report(diagnostics).document)
        } else {
            for (path, pipeline) in zip(paths, loaded) {
                if pipeline.diagnostics.isEmpty {
                    console.say("\(path == "-" ? "stdin" : path): nothing is wrong")
                } else {
                    let renderer = PipelineLoading.renderer(pipeline, console.resultStyle)
                    try console.writeOutcome(renderer.render(pipeline.diagnostics))
                }
            }
        }
        if invocation[Flags.format] != .json, console.resultsAreLive {
            invocation.tool.suggestExplanation(of: diagnostics.map(\.code), console)
        }
        if errors == 0 { return .done }
        let refused = loaded.filter { $0.plan == nil }
        return refused.allSatisfy(\.isEnvironmentProblem) ? .environment : .configuration
    }
}
