import Connectors
import Pipeline
import Stages

extension Command {
    private static let library = Flag.text(
        "library", placeholder: "LIBRARY",
        "Evaluates this gesture library, with DATA as the tests; \"-\" for the library of CONFIG")
    private static let svg = Flag.text(
        "svg", placeholder: "FILE", "Also plots accuracy over the number of templates, to an SVG file")
    private static let png = Flag.text(
        "png", placeholder: "FILE", "Also plots accuracy over the number of templates, to a PNG file")
    private static let html = Flag.text(
        "html", placeholder: "FILE", "Writes a page with plots, the confusion matrix and the worst confusions drawn")
    private static let trials = Flag.text(
        "trials", placeholder: "FILE", "Writes every test as a line of a CSV file")
    private static let truth = Flag.text(
        "truth", placeholder: "FILE",
        "Runs the pipeline on its own sources, and compares its results with the true events in a CSV file, with the columns label, start_us and end_us, stream if there are several, and optionally counts (yes or no)"
    )
    private static let files = [svg, png, html, trials]

    /// The flags that have no effect with `--truth`.
    private static let uselessWithTruth =
        files.map(\.description) + [library.description] + EvaluatedPipelines.flagsOfDrawnTrials
        + EvaluatedMethod.flags + EvaluationData.flags + TrialFlags.flags

    /// The format of results: text, JSON, or CSV for spreadsheets.
    private enum EvaluationFormat: String, CaseIterable, Sendable { case text, json, csv }

    private static let format = Flag<EvaluationFormat>.choice("format", default: .text, "The format of results")

    /// `pipectl eval [CONFIG…] DATA…`.
    static let eval: Command = Command(
        "eval", "measure how well a pipeline recognizes",
        details: """
            Words that end in .yaml are pipelines, the others are data. The matcher of a pipeline and the pure stages directly \
            above it are evaluated, with their options: the stages prepare templates and tests as in a run. The library of the \
            matcher is not read. Several pipelines, or variants of one pipeline, are compared on the same trials, with the \
            probability that a difference is due to chance (a paired bootstrap over people). Without a pipeline, --method selects \
            the matcher to evaluate.
            In each trial, templates and tests are drawn at random from labeled strokes, as in the literature. --design selects \
            them: user_dependent (T samples of each class as templates, one other sample of each class as a test, for every \
            user), k_shot (all other samples as tests), user_independent (templates of P other users), leave_one_person_out \
            (templates of all other users), or open_set (a quarter of the classes is unknown).
            With --library, nothing is drawn at random: all samples of the library are templates, and each stroke of DATA is \
            tested once. Strokes of classes that the library does not contain show how many unknown gestures are accepted.
            With --design=blocks, the first three quarters of each class are templates, and the rest is tested once. Use this \
            design if neighboring samples are nearly the same.
            With --truth, a pipeline runs on its own sources, without its sinks, and its results for a continuous stream are \
            compared with the true events: precision, recall, and the delay of the results.
            The same data, flags and seed give the same figures.
            """,
        arguments: [
            Argument(
                "DATA",
                "pipelines, in YAML, and labeled strokes or hands: gesture libraries, JSON Lines, CSV or XML; files, folders, globs",
                arity: .many,
                completion: .files([]))
        ],
        flags: EvaluatedPipelines.flags + [library.description, truth.description] + EvaluatedMethod.flags
            + EvaluationData.flags
            + TrialFlags.flags + files.map(\.description) + [format.description],
        examples: [
            Example(
                "pipectl eval Configs/strokes.yaml recorded/ --html=report.html",
                "Evaluates a pipeline on a folder, with a page of plots"),
            Example(
                "pipectl eval strokes.yaml dollar-one.yaml recorded/ --templates=1,3",
                "Compares two pipelines"),
            Example(
                "pipectl eval a.yaml data/ --design=open_set --variant match.limit_factor=2",
                "Compares a pipeline with a less strict one, on known and unknown gestures"),
            Example(
                "pipectl eval Samples/shapes.json --templates=1,3", "Evaluates cloud on a library's samples"),
            Example(
                "pipectl eval --library Samples/shapes.json Samples/session.jsonl",
                "Tests a library with recorded strokes"
            ),
            Example(
                "pipectl eval keypoint.csv --labels=names.csv --design=blocks",
                "Evaluates nearest neighbors on a table of hands"),
        ]
    ) { invocation, console in
        try OutputFile.checkEnding(of: invocation[svg], "svg", "write --png=FILE for a PNG file")
        try OutputFile.checkEnding(of: invocation[png], "png", "write --svg=FILE for an SVG file")
        let names = [invocation[library], invocation[LibraryFile.labelsFlag], invocation[truth]].compactMap { $0 }
        var outputs: [String] = []
        for flag in files {
            if let file = invocation[flag] {
                try OutputFile.refuse(file, of: flag.description, over: invocation.words + names)
                try OutputFile.refuse(file, of: flag.description, besides: outputs)
                outputs.append(file)
            }
        }
        if invocation[library] != nil { try TrialFlags.refuse(in: invocation) }
        let (configs, data) = EvaluatedPipelines.split(invocation.words)
        if let truth = invocation[truth] {
            guard configs.count == 1, data.isEmpty else {
                throw UsageError(
                    "--truth evaluates one pipeline on its own sources",
                    help: "as in pipectl eval find.yaml --truth=truth.csv; --set gives a source another path")
            }
            for flag in uselessWithTruth where invocation.values[flag.name] != nil {
                throw UsageError(
                    "--\(flag.name) has no effect with --truth",
                    help: files.contains { $0.description.name == flag.name }
                        ? "--format=json writes all figures"
                        : "--truth draws no templates and reads no DATA: leave --\(flag.name) out")
            }
            return try await continuous(configs[0], truth, invocation, console)
        }
        guard !data.isEmpty else {
            throw UsageError(
                "eval: DATA is missing", help: "as in pipectl eval \(configs.first ?? "strokes.yaml") recorded/")
        }
        let options = try TrialFlags.options(invocation)
        // Read the pipelines and libraries first, so that their errors are reported before the data, which may be large, is read.
        var pipelines = try EvaluatedPipelines.read(configs, outputs: files, invocation, console)
        var libraries = try pipelines.map { try givenLibrary(own: $0.library, invocation) }
        if pipelines.isEmpty { libraries = [try givenLibrary(own: nil, invocation)] }
        let items = try await EvaluationData.read(data, invocation, console)
        if pipelines.isEmpty { pipelines = [try EvaluatedPipelines.withoutConfiguration(items, invocation)] }
        var reports: [EvaluationReport] = []
        for (pipeline, given) in zip(pipelines, libraries) {
            if let stale = given.flatMap(pipeline.staleLimits) {
                let file = invocation[library].map { $0 == "-" ? pipeline.library : $0 } ?? ""
                console.warning("\(file): \(stale.message)", code: stale.code, help: stale.help.map { [$0] } ?? [])
            }
            reports.append(
                try await evaluate(Evaluation(pipeline, options: options), items, given, console))
        }
        if invocation[library] == nil { TrialFlags.warnOfMissing(reports[0], options, invocation, console) }
        try write(EvaluationComparison(reports), invocation, console)
        return .done
    }

    /// Returns the library that `--library` names, if any.
    ///
    /// - Parameter own: The library of the configuration, for "-"; `nil` if there is none.
    private static func givenLibrary(own: String?, _ invocation: Invocation) throws -> GestureLibrary? {
        guard let file = invocation[library] else { return nil }
        guard let path = file == "-" ? own : file else {
            throw UsageError(
                "--library=- evaluates the library of a pipeline, but none is given",
                help: "name a pipeline that ends in .yaml, or the file of the library")
        }
        return try GestureLibrary(readingFrom: path)
    }

    private static func continuous(
        _ config: String, _ truth: String, _ invocation: Invocation, _ console: Console
    ) async throws -> ExitCode {
        let plan = try PipelineLoading.plan(config, invocation, console).get()
        let evaluation = try ContinuousEvaluation(
            plan, matcher: invocation[EvaluatedPipelines.matcher], truth: truth)
        let (all, byLabel) = try await evaluation.score(console)
        switch invocation[format] ?? .text {
        case .text: try console.writeResult(ContinuousEvaluation.text(all, byLabel, console.resultStyle))
        case .json: try console.writeResult(ContinuousEvaluation.json(all, byLabel).document)
        case .csv: try console.writeResult(ContinuousEvaluation.csv(all, byLabel))
        }
        return .done
    }

    private static func write(
        _ comparison: EvaluationComparison, _ invocation: Invocation, _ console: Console
    ) throws {
        let first = comparison.reports[0]
        func write(_ flag: Flag<String>, _ bytes: () throws -> [UInt8]) throws {
            guard let file = invocation[flag] else { return }
            try WholeFile.write(try bytes(), to: file)
            console.say("\(file) written")
        }
        try write(svg) { Array(first.svg.utf8) }
        try write(png) { try first.png() }
        try write(html) { Array(EvaluationPage(comparison).html.utf8) }
        try write(trials) { Array(comparison.trials.utf8) }
        let isAlone = comparison.reports.count == 1
        switch invocation[format] ?? .text {
        case .json: try console.writeResult(isAlone ? first.json : comparison.json)
        case .csv: try console.writeResult(comparison.csv)
        case .text: try console.writeResult(isAlone ? first.table : text(comparison, console.resultStyle))
        }
    }

    private static func text(_ comparison: EvaluationComparison, _ style: Style) -> String {
        let cells = comparison.cells
        var table = Table(cells[0].enumerated().map { ($1, $0 == 0 ? .left : .right) })
        for line in cells.dropFirst() { table.add(line) }
        // The headline begins with the method, which differs between the pipelines, so it is left out.
        return comparison.reports[0].headline.drop { $0 != "," }.dropFirst(2) + "\n\n" + table.text(style) + """

            accuracy: nearest to its own class; right: named correctly by the pipeline, with its limits; FA: unknown gestures that it named
            at 5 % FA: recognized and accepted if 5 % of the gestures not in the library are accepted
            Δ: difference from the first, in percentage points; p: probability that it is due to chance (paired bootstrap over people)

            """
    }

    private static func evaluate(
        _ evaluation: Evaluation, _ items: [EvaluationItem], _ library: GestureLibrary?, _ console: Console
    ) async throws -> EvaluationReport {
        let progress = Progress()
        let reporter = ProgressReporter(
            measure: {
                var bar = ProgressBar("draws")
                (bar.done, bar.total, bar.items) = (progress.done, progress.total, progress.done)
                return bar
            }, console: console)
        return try await reporter.during {
            try await evaluation.run(items, library: library, cores: machineCores, progress: progress)
        }
    }
}
