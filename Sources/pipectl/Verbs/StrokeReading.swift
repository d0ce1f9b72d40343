import Pipeline
import Stages

/// Reads recorded gestures for commands that are no pipelines, by the `file` source and a run of it alone.
enum StrokeReading {
    /// Every stroke of a file, a folder or a pattern, in order.
    ///
    /// - Throws: What the source reports: the first stroke that cannot be read ends the reading.
    static func strokes(in path: String, _ console: Console) async throws -> [Frame<Stroke>] {
        try await frames(.stroke, in: path, console)
    }

    /// Every bitmap of a file, a folder or a pattern, in order. Errors as of ``strokes(in:_:)``.
    static func bitmaps(in path: String, _ console: Console) async throws -> [Frame<Bitmap>] {
        try await frames(.bitmap, in: path, console)
    }

    private static func frames<P: Payload>(
        _ kind: PayloadKind, in path: String, _ console: Console
    ) async throws -> [Frame<P>] {
        var options = FileSource.Options()
        options.path = FilePath(path)
        options.kind = kind
        let source = try FileSource.make(options, BuildContext(id: path))
        // Recordings that do not belong together may tell any time.
        let rules = Plan.SourceRules(onDisorder: .newEpoch)
        let plan = Plan(
            name: path,
            nodes: [Plan.Node(id: path, component: "file", body: .source(source, rules), output: source.output)])
        let run = Run(plan)
        let results = try run.results(of: path, as: P.self)
        let reporter = ProgressReporter(measure: { RunProgress.measure(run) }, console: console)
        return try await reporter.during {
            var frames: [Frame<P>] = []
            do {
                for try await frame in results { frames.append(frame) }
            } catch var error as PipelineError where error.code == "decode.kind" && error.message.contains("\"points\"")
            {
                error.help =
                    "make strokes of the points first, by a pipeline: file (kind: points), segment, and a file sink"
                throw error
            }
            return frames
        }
    }
}
