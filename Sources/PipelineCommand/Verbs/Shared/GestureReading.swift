import Connectors
import Pipeline
import PipelineComponents
import Stages

/// Reads recorded gestures for commands that are not pipelines, by running the `file` source on its own.
enum GestureReading {
    /// Options for reading recorded data.
    struct Reading {
        /// A file with the names of classes, for labels that are numbers.
        var labels: String?
        /// The part to read, in nanoseconds after the first frame.
        var between: TimeSpan?
        /// Whether each row of a table is a whole stroke.
        var rowsAreStrokes = false
        /// Whether every frame carries the file that it was read from. Otherwise, only those of files with a single frame do.
        var namesFiles = false
    }

    /// Returns every stroke of a file, a folder or a pattern, in the order in which they are read.
    ///
    /// - Throws: An error of the source. The first stroke that cannot be read ends the reading.
    static func strokes(
        in path: String, _ console: Console, _ reading: Reading = Reading()
    ) async throws -> [Frame<Stroke>] {
        try await frames(.stroke, in: path, console, reading)
    }

    /// Returns every bitmap of a file, a folder or a pattern, in order. Throws the same errors as ``strokes(in:_:_:)``.
    static func bitmaps(
        in path: String, _ console: Console, _ reading: Reading = Reading()
    ) async throws -> [Frame<Bitmap>] {
        try await frames(.bitmap, in: path, console, reading)
    }

    /// Returns the hands of every frame of a file, a folder or a pattern, in order. Throws the same errors as
    /// ``strokes(in:_:_:)``.
    static func hands(
        in path: String, _ console: Console, _ reading: Reading = Reading()
    ) async throws -> [Frame<Hands>] {
        guard try PayloadKind.recorded(in: path) == .landmarks else {
            return try await frames(.hands, in: path, console, reading)
        }
        // A recording of single hands is read as frames with one hand each.
        let frames: [Frame<Landmarks>] = try await frames(.landmarks, in: path, console, reading)
        return frames.map { frame in
            Frame(
                Hands(hands: [frame.payload]), at: frame.timestamp, stream: frame.stream, sequence: frame.sequence,
                origin: frame.origin)
        }
    }

    private static func frames<P: Payload>(
        _ kind: PayloadKind, in path: String, _ console: Console, _ reading: Reading
    ) async throws -> [Frame<P>] {
        var options = FileSource.Options()
        options.path = FilePath(path)
        options.kind = kind
        options.origin = reading.namesFiles
        options.decode.labels = reading.labels.map { FilePath($0) }
        if reading.rowsAreStrokes { options.decode.row = .set }
        if let between = reading.between {
            options.startOffsetMs = Double(between.from) / 1e6
            options.durationMs = Double(between.to - between.from) / 1e6
        }
        let source = try FileSource.make(options, BuildContext(id: path))
        // The files of a folder may be unrelated recordings, so timestamps that go back begin a new epoch.
        let rules = SourceRules.ofRecordings
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
                    "turn the points into strokes first, with a pipeline: file (kind: points), segment, and a file sink"
                throw error
            }
            return frames
        }
    }
}
