import Connectors
import Pipeline

extension Command {
    private static let on = Flag.text(
        "on", placeholder: "[SOURCE=]RECORDING", repeats: true,
        "Runs both pipelines on this recording; if repeated, on each recording in turn, or on all together if they name sources"
    )
    private static let html = Flag.text(
        "html", placeholder: "FILE", "Writes a web page with pictures of the first ten differences")
    private static let tolerance = Flag.positive(
        "tolerance", placeholder: "X", "Treats numbers as equal if they differ by at most X")

    /// `pipectl diff A B --on RECORDING…`.
    static let diff: Command = Command(
        "diff", "compare the results of two pipelines",
        details: """
            Runs both pipelines on the recordings, without their sinks, and compares the frames that the sinks would receive. \
            Results of the same kind, stream and time are compared with each other. A live pipeline runs in simulated time. New \
            results are only in B, gone results are only in A, and different results are in both but not equal. The exit code is \
            0 if there is no difference, and 1 if there is one.
            """,
        arguments: [
            Argument("A", "the pipeline before a change, in YAML", completion: .files([".yaml", ".yml"])),
            Argument("B", "the pipeline after the change, in YAML", completion: .files([".yaml", ".yml"])),
        ],
        flags: [
            on.description, html.description, tolerance.description, PipelineLoading.set.description,
            Flags.format.description,
        ],
        examples: [
            Example(
                "pipectl diff before.yaml after.yaml --on Samples/session.jsonl",
                "Shows the effect of a change to a pipeline"),
            Example(
                "pipectl diff a.yaml b.yaml --on mon.mcap --on tue.mcap --html=diff.html",
                "Compares two pipelines on two recordings, with pictures"),
        ]
    ) { invocation, console in
        let recordings = invocation.all(on)
        guard !recordings.isEmpty else {
            throw UsageError("--on is missing", help: "name a recording: --on session.mcap")
        }
        let names = (before: invocation.words[0], after: invocation.words[1])
        let before = try ComparedPipeline(names.before, invocation, console)
        let after = try ComparedPipeline(names.after, invocation, console)
        let files = recordings.map(ComparedPipeline.file)
        if let page = invocation[html] {
            try OutputFile.refuse(page, of: html.description, over: before.files + after.files)
            try OutputFile.refuse(page, of: html.description, over: files)
        }
        let comparison = ResultComparison(
            try await before.results(on: recordings), try await after.results(on: recordings),
            tolerance: invocation[tolerance] ?? 0)
        let report = ComparisonReport(comparison: comparison, names: names)
        if let page = invocation[html] {
            let first = comparison.differences.prefix(ComparisonReport.drawn).map(\.moment)
            let pictures = try await RecordedPictures.svg(of: first, in: files)
            try WholeFile.write(Array(report.html(pictures).utf8), to: page)
            console.say("\(page) written")
        }
        if invocation[Flags.format] == .json {
            try console.writeOutcome(report.json.document)
        } else {
            try console.writeOutcome(report.text(console.resultStyle))
        }
        return comparison.differences.isEmpty ? .done : .failed
    }
}
