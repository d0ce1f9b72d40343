import Pipeline

extension Command {
    /// `pipectl validate CONFIG…`: everything that is wrong, not the first thing.
    static let validate: Command = Command(
        "validate", "report everything that is wrong with pipelines",
        details: "Nothing is opened or run. Exit code 0 when there is no error, 2 when there is one.",
        arguments: [
            Argument("CONFIG", "the pipelines, in YAML", arity: .many, completion: .files([".yaml", ".yml"]))
        ],
        flags: [PipelineLoading.set.description, Flags.format.description],
        examples: [
            Example("pipectl validate Configs/*.yaml", "Checks several pipelines"),
            Example("pipectl validate --format=json strokes.yaml", "Reports findings, places and fixes as data"),
        ]
    ) { invocation, console in
        let loaded = invocation.words.map { PipelineLoading.load($0, invocation, console) }
        let diagnostics = loaded.flatMap(\.diagnostics)
        let errors = diagnostics.count { $0.severity == .error }
        if invocation[Flags.format] == .json {
            try console.writeResult(Diagnostic.report(diagnostics).document)
        } else {
            for (path, pipeline) in zip(invocation.words, loaded) {
                if pipeline.diagnostics.isEmpty {
                    console.say("\(path): nothing is wrong")
                } else {
                    let renderer = PipelineLoading.renderer(pipeline, console.resultStyle)
                    try console.writeResult(renderer.render(pipeline.diagnostics))
                }
            }
        }
        if errors == 0 { return .done }
        let refused = loaded.filter { $0.plan == nil }
        return refused.allSatisfy(\.isEnvironmentProblem) ? .environment : .configuration
    }
}
