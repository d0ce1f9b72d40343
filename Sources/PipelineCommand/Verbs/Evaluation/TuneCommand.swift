import Connectors
import Pipeline
import PipelineConfiguration
import Stages

extension Command {
    private static let on = Flag.text(
        "on", placeholder: "DATA", repeats: true,
        "Labeled strokes or hands to evaluate with: gesture libraries, JSON Lines, CSV or XML; files, folders, globs")
    private static let vary = Flag<VariedOption>.parsed(
        "vary", placeholder: "ID.OPTION=VALUES",
        wanted: "ID.OPTION=FROM:TO:STEP or ID.OPTION=VALUE,VALUE…", repeats: true,
        "Tries values of an option: 0.1:0.4:0.02, or 16,32,64", VariedOption.init)
    private static let falseAccept = Flag<Double>.parsed(
        "max-false-accept", placeholder: "SHARE", wanted: "a share from 0% to 100%", defaultText: "5%",
        "The largest allowed share of unknown gestures that are taken for a known gesture", Share.read)
    private static let time = Flag.positive(
        "max-time-us", placeholder: "US", "The maximum average time of a match, in microseconds")
    private static let design = Flag<EvaluationDesign>.choice(
        "design", default: .openSet, "The source of the templates, and what is tested, as for eval")
    private static let repetitions = Flag.integer(
        "repetitions", in: EvaluationOptions.allowedRepetitions, defaultText: "20",
        "The number of trials for each user or, with user_independent, for each number of users")
    private static let out = Flag.text(
        "out", short: "o", placeholder: "FILE", "Writes the pipeline with the best values to FILE")
    private static let svg = Flag.text("svg", placeholder: "FILE", "Plots the trade-off to an SVG file")
    private static let png = Flag.text("png", placeholder: "FILE", "Plots the trade-off to a PNG file")

    /// `pipectl tune CONFIG`.
    static let tune: Command = Command(
        "tune", "find the options with the best accuracy",
        details: """
            Evaluates CONFIG as eval does, with every combination of the given values, on all cores and on the same trials. Among \
            the settings that stay within the limits on unknown gestures and on time, it chooses the one that names the most \
            known gestures correctly. To estimate the result for other people, it repeats the choice with each person left out in \
            turn, and tests that person.
            If you interrupt, it chooses among the settings evaluated so far; a second interrupt ends it at once.
            """,
        arguments: [PipelineLoading.configFile],
        flags: [
            on.description, vary.description, falseAccept.description, time.description, out.description,
            svg.description, png.description, EvaluatedPipelines.matcher.description, PipelineLoading.set.description,
            design.description, repetitions.description,
        ]
            + TrialFlags.flags.filter {
                $0.name != design.description.name && $0.name != repetitions.description.name
            }
            + EvaluationData.flags + [Flags.format.description],
        examples: [
            Example(
                "pipectl tune a.yaml --on data/ --vary match.limit_factor=0.5:2:0.1 -o b.yaml",
                "Chooses the strictness of a pipeline, and writes the pipeline"),
            Example(
                "pipectl tune a.yaml --on data/ --vary resample.points=16,32,64",
                "Chooses the number of points"),
        ]
    ) { invocation, console in
        let config = invocation.words[0]
        try PipelineLoading.refuseStandardInput(config)
        let data = invocation.all(on)
        guard !data.isEmpty else {
            throw UsageError("--on is missing", help: "name the data to evaluate with, as in --on recorded/")
        }
        let grid = try VariedOption.combinations(invocation.all(vary))
        try OutputFile.checkEnding(of: invocation[svg], "svg", "write --png=FILE for a PNG file")
        try OutputFile.checkEnding(of: invocation[png], "png", "write --svg=FILE for an SVG file")
        // `--out` may overwrite the configuration that was read; pictures may not.
        let names = data + [invocation[LibraryFile.labelsFlag]].compactMap { $0 }
        var outputs: [String] = []
        for (flag, inputs) in [(svg, [config] + names), (png, [config] + names), (out, names)] {
            if let file = invocation[flag] {
                try OutputFile.refuse(file, of: flag.description, over: inputs)
                try OutputFile.refuse(file, of: flag.description, besides: outputs)
                outputs.append(file)
            }
        }
        var usual = EvaluationOptions()
        (usual.design, usual.repetitions) = (.openSet, 20)
        let options = try TrialFlags.options(invocation, over: usual)
        // The pipeline without changes comes first. All pipelines are loaded before the data, which may be large, so that errors
        // in values are reported early.
        let files = [svg, png, out]
        var pipelines = [([String](), try EvaluatedPipelines.load(config, [], outputs: files, invocation, console))]
        var quiet = console
        quiet.level = .error
        for settings in grid {
            pipelines.append(
                (settings, try EvaluatedPipelines.load(config, settings, outputs: files, invocation, quiet)))
        }
        let items = try await EvaluationData.read(data, invocation, console)
        let judged = try await TuneRun(pipelines, items, options).judge(console)
        guard let last = judged.report else {
            throw PipelineError.environment("tune.interrupted", "interrupted before anything was evaluated")
        }
        TrialFlags.warnOfMissing(last, options, invocation, console)
        if invocation[falseAccept] != nil, last.rows.allSatisfy({ $0.all.unknownTests == 0 }) {
            console.warning(
                "--max-false-accept has no effect: no unknown gesture was tested",
                help: ["--design=open_set tests unknown gestures"])
        }
        let tuning = Tuning(
            judged.candidates,
            Tuning.Bounds(falseAccept: invocation[falseAccept] ?? 0.05, nanoseconds: invocation[time].map { $0 * 1000 })
        )
        if judged.candidates.count < pipelines.count {
            console.warning("interrupted: \(judged.candidates.count) of \(pipelines.count) settings were evaluated")
        }
        if let file = invocation[svg] { try WholeFile.write(Array(tuning.svg.utf8), to: file) }
        if let file = invocation[png] { try WholeFile.write(try tuning.png(), to: file) }
        if let best = tuning.best, let file = invocation[out] {
            try write(config, with: tuning.candidates[best].settings, to: file, invocation, console)
        }
        let report = TuneReport(tuning, last)
        try console.writeResult(
            invocation[Flags.format] == .json ? report.json.document : report.text(console.resultStyle))
        guard tuning.best != nil else {
            console.error(
                "no setting meets the limits", code: "tune.none", help: ["allow more, or try other values"])
            return .failed
        }
        return .done
    }

    /// Writes the text of a configuration with option values inserted.
    private static func write(
        _ config: String, with settings: [String], to file: String, _ invocation: Invocation, _ console: Console
    ) throws {
        let bytes = try WholeFile.read(config, limit: 1 << 24)
        let text = try ConfigurationEditor.setting(
            invocation.all(PipelineLoading.set) + settings, in: String(decoding: bytes, as: UTF8.self))
        try WholeFile.write(Array(text.utf8), to: file)
        console.say("\(file) written")
        if FileListing.parent(of: file) != FileListing.parent(of: config) {
            console.warning("relative paths in \(file) start from its own folder, not from that of \(config)")
        }
    }
}
