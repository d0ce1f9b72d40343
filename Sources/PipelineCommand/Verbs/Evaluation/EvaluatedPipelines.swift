import Connectors
import Pipeline
import PipelineComponents
import PipelineConfiguration
import Stages

/// The pipelines that `eval` compares: configurations, variants of them, or the one that `--method` selects.
enum EvaluatedPipelines {
    private static let method = Flag<EvaluatedMethod>.choice(
        "method", default: .cloud,
        "The matcher to evaluate if no pipeline is given; cosine by default for hands")
    static let matcher = Flag.text(
        "matcher", placeholder: "ID", "The matcher to evaluate, if the pipeline has several")
    private static let variant = Flag.text(
        "variant", placeholder: "ID.OPTION=VALUE[;…]", repeats: true,
        "Also evaluates the pipelines with these option values")

    /// The flags that select pipelines.
    static let flags = [
        method.description, matcher.description, PipelineLoading.set.description, variant.description,
    ]

    /// Those of ``flags`` that have an effect only if templates and tests are drawn.
    static let flagsOfDrawnTrials = [method.description, variant.description]

    /// Separates configurations, whose names end in .yaml or .yml, from data.
    static func split(_ words: [String]) -> (configs: [String], data: [String]) {
        func isConfig(_ word: String) -> Bool { word.hasSuffix(".yaml") || word.hasSuffix(".yml") }
        return (words.filter(isConfig), words.filter { !isConfig($0) })
    }

    /// Returns the pipelines of all configurations in the order given, each followed by its variants. Returns none if there are no
    /// configurations.
    ///
    /// - Parameter outputs: See ``load(_:_:outputs:_:_:)``.
    /// - Throws: ``ConfigurationRefused`` after reporting the errors of a configuration; a usage error for flags that do not
    ///   apply.
    static func read(
        _ configs: [String], outputs: [Flag<String>], _ invocation: Invocation, _ console: Console
    ) throws -> [EvaluatedPipeline] {
        guard !configs.isEmpty else {
            for flag in [matcher, PipelineLoading.set, variant] where !invocation.all(flag).isEmpty {
                throw UsageError(
                    "--\(flag.description.name) applies to a pipeline, but none is given",
                    help: "name one that ends in .yaml, or use --method")
            }
            return []
        }
        for flag in [method.description] + EvaluatedMethod.flags where invocation.values[flag.name] != nil {
            throw UsageError(
                "--\(flag.name) has no effect on a pipeline", help: "--set overrides the options of the pipeline")
        }
        return try configs.flatMap { config in
            try ([""] + invocation.all(variant)).map { variant in
                var pipeline = try load(
                    config, variant.split(separator: ";").map(String.init), outputs: outputs, invocation, console)
                if configs.count > 1 { pipeline.name = config }
                if !variant.isEmpty { pipeline.name += " \(variant)" }
                return pipeline
            }
        }
    }

    /// Returns the pipeline to evaluate without a configuration: the one that `--method` selects, or the default for the data.
    ///
    /// - Throws: A usage error for flags that do not apply to the method.
    static func withoutConfiguration(
        _ items: [EvaluationItem], _ invocation: Invocation
    ) throws -> EvaluatedPipeline {
        let ofHands = items.contains(where: \.isHand)
        let chosen = invocation[method] ?? (ofHands ? .cosine : .cloud)
        return try chosen.pipeline(invocation, ofHands: ofHands, ofMotions: EvaluationData.holdsMotions(invocation))
    }

    /// Loads one pipeline and reports its findings. A pipeline without a name gets the name of its file.
    ///
    /// - Parameter outputs: The flags that name files to write. These must not be files that the components of the pipeline read
    ///   or write.
    static func load(
        _ config: String, _ overrides: [String], outputs: [Flag<String>], _ invocation: Invocation, _ console: Console
    ) throws -> EvaluatedPipeline {
        let overrides = invocation.all(PipelineLoading.set) + overrides
        let loaded = PipelineLoader(
            registry: .evaluated, environment: console.environment, overrides: overrides
        ).load(file: config)
        PipelineLoading.say(loaded, on: console)
        guard let plan = loaded.plan else {
            throw ConfigurationRefused(code: loaded.isEnvironmentProblem ? .environment : .configuration)
        }
        let files = loaded.files.filter { $0.purpose != .configuration }
        for flag in outputs {
            if let file = invocation[flag] { try OutputFile.refuse(file, of: flag.description, over: files) }
        }
        var pipeline = try EvaluatedPipeline(plan, matcher: invocation[matcher])
        if pipeline.name == "pipeline" { pipeline.name = config }
        if let above = pipeline.above, !plan.nodes.contains(where: { $0.id == above && $0.input == nil }) {
            console.say("samples enter \"\(config)\" after \"\(above)\"")
        }
        return pipeline
    }
}
