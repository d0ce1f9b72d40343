import Connectors
import Pipeline
import PipelineComponents
import Stages

extension Command {
    private enum Shade: String, CaseIterable, Sendable { case light, dark }

    private static let out = Flag.text(
        "out", short: "o", placeholder: "FILE", "Writes the picture to FILE, whose name ends in .png or .svg")
    private static let theme = Flag<Shade>.choice("theme", default: .light, "The background")
    private static let columns = Flag.integer(
        "columns", in: 1...1000, defaultText: "by their number", "The number of cells per row")
    private static let limit = Flag.integer("limit", in: 1...100_000, defaultText: "200", "Draws the first N figures")
    private static let every = Flag.integer(
        "every", in: 1...1_000_000, defaultText: "1",
        "Draws every N-th frame of each stream: strokes, hands or landmarks, but not pieces of strokes")
    private static let size = Flag.integer("size", in: 16...8192, defaultText: "160", "The width of a cell in pixels")

    /// `pipectl draw DATA`.
    static let draw: Command = Command(
        "draw", "draw recorded data on a labeled contact sheet",
        details: """
            Every stroke, hand or set of landmarks gets its own cell, with its label and its subject or time. Pieces of strokes \
            are joined, and ink is drawn with its widths. An existing file is replaced, unless there is nothing to draw, which is \
            an error.
            """,
        arguments: [
            Argument(
                "DATA", "a recording, a gesture library, JSON Lines, CSV or XML: a file, a folder or a glob",
                completion: .files([]))
        ],
        flags: [
            out.description, theme.description, columns.description, limit.description, every.description,
            size.description,
        ],
        examples: [
            Example("pipectl draw Samples/session.jsonl --out=sheet.png", "Draws every stroke of a recording"),
            Example(
                "pipectl draw Samples/shapes.json --out=shapes.svg --theme=dark",
                "Draws a gesture library on a dark background"),
            Example("pipectl draw hands.jsonl --out=hands.png --every=30", "Draws every 30th hand of a recording"),
        ]
    ) { invocation, console in
        guard let file = invocation[out] else {
            throw UsageError("--out is missing", help: "name the picture to write: --out=sheet.png")
        }
        var options = DrawingOptions()
        options.path = OutputPath(file)
        options.output = .sheet
        options.theme = invocation[theme] == .dark ? .dark : .light
        options.columns = invocation[columns]
        options.size = invocation[size]
        options.limit = invocation[limit] ?? 200
        options.ifExists = .overwrite
        options.mustShow = true
        let data = invocation.words[0]
        try OutputFile.refuse(file, of: out.description, over: [data])
        let source = try source(of: data, invocation)
        let sink = try sink(options, for: source.output)
        // The files of a folder may be unrelated recordings, so timestamps that go back begin a new epoch.
        var plan = Plan(
            name: data,
            nodes: [
                Plan.Node(
                    id: data, component: "file", body: .source(source, SourceRules.ofRecordings),
                    output: source.output, onError: .skip)
            ])
        if let every = invocation[every], every > 1 {
            let sample = try SampleFramesComponent.make(
                SampleFramesComponent.Options { $0.every = every }, for: source.output, BuildContext())
            plan.nodes.append(
                Plan.Node(
                    id: "every", component: "sample", body: .stage(sample), input: source.output, output: source.output,
                    edges: [Plan.Edge(from: 0)], onError: .skip))
        }
        plan.nodes.append(
            Plan.Node(
                id: file, component: "draw", body: .sink(sink), input: source.output,
                edges: [Plan.Edge(from: plan.nodes.count - 1)], onError: .skip))
        var runOptions = Run.Options()
        // What the sink reports is about a figure of the data, not about the picture.
        let log = console.log
        runOptions.log = Log { line in
            let log = line.node.map { log.about($0 == file ? data : $0) } ?? log
            log(line.level, line.message, code: line.code)
        }
        return try await finish(Run(plan, options: runOptions), data, file, console)
    }

    private static func finish(_ run: Run, _ data: String, _ file: String, _ console: Console) async throws -> ExitCode
    {
        let reporter = ProgressReporter(measure: { RunProgress.measure(run) }, console: console)
        let report = await reporter.during { await run.finished() }
        if var error = report.failures.first?.error {
            if error.code == "draw.nothing" { error.location = data }
            throw error
        }
        guard let drawn = report.ledger.nodes.last?.passed, drawn > 0 else {
            throw PipelineError.environment("draw.not_written", "\(file) could not be written")
        }
        console.say("\(file) written")
        return .done
    }

    /// Returns the source of the data: the samples of a library, or the contents of files.
    private static func source(of path: String, _ invocation: Invocation) throws -> any Source {
        if let library = try LibraryFile.library(in: path) {
            let frames = DrawnSample.all(of: library).enumerated().map { number, sample in
                Frame(sample, at: .milliseconds(Int64(number)), stream: "samples", sequence: Int64(number))
            }
            return SequenceSource(
                AsyncStream { continuation in
                    for frame in frames { continuation.yield(frame) }
                    continuation.finish()
                })
        }
        var options = FileSource.Options()
        options.path = FilePath(path)
        options.kind = try PayloadKind.recorded(in: path, among: invocation.kinds)
        return try FileSource.make(options, BuildContext(id: path))
    }

    private static func sink(_ options: DrawingOptions, for input: PortType) throws -> any Sink {
        let name = options.path.path.lowercased()
        if name.hasSuffix(".svg") { return try SVGSink.make(options, for: input, BuildContext()) }
        if name.hasSuffix(".png") { return try PNGSink.make(options, for: input, BuildContext()) }
        throw UsageError("\(options.path.path) is neither PNG nor SVG", help: "end the name in .png or .svg")
    }
}
