import Connectors
import MCAP
import Pipeline
import PipelineComponents

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension Command {
    private static let to = Flag<FileSink.Format>.choice(
        "to", default: .auto, "The format of OUT; by default, its name decides")

    /// `pipectl convert IN… OUT`.
    static let convert: Command = Command(
        "convert", "convert, cut or join recordings",
        details: """
            Reads MCAP, JSON Lines, CSV and MessagePack, compressed (.gz, .zst) or not, and writes the format that the name of OUT \
            implies; `-` is standard input or output. Several inputs are merged by time; --start-offset and --duration apply to each of \
            them, from its own first frame. If all files are MCAP, messages of any content are copied unchanged; otherwise \
            frames of one kind are decoded and encoded again. If a part of the input is damaged or its end is missing, OUT has \
            the rest, an error says so, and the exit code is 1.
            """,
        arguments: [
            Argument(
                "IN… OUT", "the recordings to read, and the file to write", arity: .many,
                completion: .files(RecordingEndings.all))
        ],
        flags: [
            to.description, RecordingFlags.compression.description, RecordingFlags.kind.description,
            RecordingFlags.streams.description, RecordingFlags.startOffset.description,
            RecordingFlags.duration.description, RecordingFlags.scene.description, RecordingFlags.force.description,
            Flags.format.description,
        ],
        examples: [
            Example("pipectl convert Samples/session.jsonl session.mcap", "Converts JSON Lines to MCAP"),
            Example("pipectl convert monday.mcap tuesday.mcap both.mcap", "Joins two recordings"),
            Example(
                "pipectl convert a.mcap part.jsonl.gz --streams='pen/*' --duration=5s",
                "Writes the first five seconds of some streams, compressed"),
            Example("pipectl convert a.mcap - --to=csv | head", "Shows the first frames of a recording"),
            Example("pipectl convert a.mcap seen.mcap --scene", "Writes a copy to view in Foxglove"),
        ]
    ) { invocation, console in
        guard invocation.words.count >= 2, let out = invocation.words.last else {
            throw UsageError(
                "OUT is missing", help: "name the files to read and then the file to write: pipectl convert IN OUT")
        }
        let inputs = invocation.words.dropLast().map(RecordingFlags.input)
        if out == "-" {
            try RecordingFlags.checkScene(isMCAP: false, invocation)
            if invocation[RecordingFlags.compression] ?? .auto != .auto {
                throw UsageError("--compression has no effect on standard output", help: "name a file")
            }
            var standardOutput = StdoutSink.Options()
            standardOutput.format = try textFormat(invocation[to] ?? .auto)
            return try await convertFrames(inputs, to: "standard output", invocation, console) { [standardOutput] in
                try StdoutSink.make(standardOutput, for: $0, $1)
            }
        }
        try RecordingFlags.checkOutput(out, of: "OUT", inputs: inputs, invocation)
        if invocation[to] == nil {
            try RecordingFlags.checkEnding(out, "end the name in .mcap, .jsonl, .csv or .msgpack, or write --to=jsonl")
        }
        var target = FileSink.Options()
        target.path = OutputPath(out)
        target.format = invocation[to] ?? .auto
        target.compression = invocation[RecordingFlags.compression] ?? .auto
        let isPattern = OutputPattern(out) != nil
        let isNew = !isPattern && !OutputFile.exists(out)
        // The existence of a single file was checked above. Those of a pattern are checked when they are opened.
        target.ifExists = isPattern && !invocation[RecordingFlags.force] ? .fail : .overwrite
        target.existingHelp = RecordingFlags.existingHelp
        target.scene = invocation[RecordingFlags.scene]
        try RecordingFlags.checkScene(isMCAP: target.knownFormat == .mcap, invocation)
        try RecordingFlags.checkCompression(of: out, isMCAP: target.knownFormat == .mcap, invocation, console)
        let isRaw = target.knownFormat == .mcap && !isPattern && inputs.allSatisfy(MCAPFile.isRead)
        guard isRaw, invocation[RecordingFlags.kind] == nil else {
            return try await convertFrames(inputs, to: out, isNew: isNew, invocation, console) { [target] in
                try FileSink.make(target, for: $0, $1)
            }
        }
        var selection = RecordingCopy.Selection()
        selection.streams = RecordingFlags.streams(invocation)
        selection.startOffset = UInt64(invocation[RecordingFlags.startOffset] ?? 0)
        selection.duration = invocation[RecordingFlags.duration].map { UInt64($0) }
        selection.scene = target.scene
        let copy = RecordingCopy(inputs, selection)
        let compression = target.compression.ofChunks
        let interrupted = StopSignal()
        Signals.listen(console) { interrupted.request() }
        let outcome = try await ProgressReporter(measure: { copy.bar }, console: console).during {
            try copy.run(to: out, compression, until: interrupted)
        }
        guard !interrupted.isRequested else {
            throw PipelineError.interrupted(
                "\(out) contains only the first \(Counted.text(Int(outcome.messages), "message"))")
        }
        warn(of: outcome.unmatched, inputs, console)
        warn(of: copy.overlaps, out, console)
        for problem in outcome.problems { console.error(problem, code: "convert.incomplete") }
        let scenes = target.scene ? " and \(Counted.text(Int(outcome.scenes), "scene"))" : ""
        if outcome.messages == 0, !outcome.problems.isEmpty, isNew {
            unlink(out)
            return .failed
        }
        console.say("\(Counted.text(Int(outcome.messages), "message"))\(scenes) written to \(out)")
        if outcome.messages == 0, outcome.problems.isEmpty { warnOfNothing(inputs, console) }
        return outcome.problems.isEmpty ? .done : .failed
    }

    /// Returns the format of frames on standard output.
    private static func textFormat(_ format: FileSink.Format) throws -> TextFormat {
        switch format {
        case .auto, .jsonl: .jsonl
        case .msgpack: .msgpack
        case .csv: .csv
        case .mcap:
            throw UsageError("MCAP is not written to standard output", help: "name a file, or write --to=jsonl")
        }
    }

    /// Warns that no message of the recordings was wanted.
    private static func warnOfNothing(_ inputs: [String], _ console: Console) {
        console.warning("no message was selected; pipectl info \(inputs[0].shown) lists the streams and times")
    }

    /// Warns of patterns of streams that match nothing in any of the recordings.
    private static func warn(of unmatched: [String], _ inputs: [String], _ console: Console) {
        let names = inputs.map(\.shown).joined(separator: ", ")
        for pattern in unmatched {
            console.warning("no stream in \(names) matches \"\(pattern.shown)\"; pipectl info lists the streams")
        }
    }

    /// Warns of streams that several recordings have at the same times.
    private static func warn(of overlaps: StreamOverlaps, _ out: String, _ console: Console) {
        for stream in overlaps.streams {
            var notice = Notice(
                .warning, "several inputs have frames of the stream \"\(stream.shown)\" at overlapping times")
            notice.code = "convert.overlap"
            notice.help = [
                "give the stream of each recording its own name (rename_streams of the source file), "
                    + "or read \(out) with on_disorder: clamp"
            ]
            console.say(notice)
        }
    }

    /// Returns the number of frames that the sink of a conversion has written.
    private static func written(_ report: RunReport) -> Int { Int(report.ledger.nodes.last?.passed ?? 0) }

    /// Writes the frames of recordings to a sink. If the command fails without a frame, a new file is removed, so that the command
    /// can be repeated.
    ///
    /// - Parameter isNew: Whether `name` is a file that did not exist before.
    private static func convertFrames(
        _ inputs: [String], to name: String, isNew: Bool = false, _ invocation: Invocation, _ console: Console,
        _ makeSink: (PortType, BuildContext) throws -> any Sink
    ) async throws -> ExitCode {
        let kind = try RecordingFlags.kind(of: inputs, invocation)
        var nodes: [Plan.Node] = []
        let unmatched = UnmatchedStreams()
        let others = invocation[RecordingFlags.kind].map { _ in OtherKinds(invocation.kinds) }
        for (number, path) in inputs.enumerated() {
            var file = FileSource.Options()
            file.path = FilePath(path)
            file.kind = kind
            file.streams = RecordingFlags.streams(invocation)
            file.startOffsetMs = Double(invocation[RecordingFlags.startOffset] ?? 0) / 1e6
            // With this pace, `--start-offset` and `--duration` refer to arrival times, as in a copy between MCAP files.
            file.pace = .arrival
            file.durationMs = invocation[RecordingFlags.duration].map { Double($0) / 1e6 }
            let source = FileSource.make(file, BuildContext(id: path), nil, unmatched: unmatched, others: others)
            nodes.append(
                Plan.Node(
                    id: inputs.count > 1 ? "\(path) (\(number + 1))" : path, component: FileSource.manifest.name,
                    body: .source(source, SourceRules.ofRecordings), output: source.output,
                    onError: .skip))
        }
        guard let input = nodes.first?.output else { return .done }
        let overlaps = StreamOverlaps()
        if inputs.count > 1 {
            for number in inputs.indices {
                nodes.append(
                    Plan.Node(
                        id: "\(nodes[number].id) frames", component: "convert",
                        body: .stage(overlaps.stage(for: input, input: number)), input: input, output: input,
                        edges: [Plan.Edge(from: number)], onError: .skip))
            }
        }
        // The sources, or the stages after them.
        let ends = nodes.indices.suffix(inputs.count)
        let sink = try makeSink(input, BuildContext(id: name))
        nodes.append(
            Plan.Node(
                id: name, component: FileSink.manifest.name, body: .sink(sink), input: input,
                edges: ends.map { Plan.Edge(from: $0) }))
        var options = Run.Options()
        options.log = console.log
        let run = Run(Plan(name: "convert", nodes: nodes), options: options)
        let report = try await run.finished(console) { report in
            "\(name) contains only the first \(Counted.text(written(report), "frame"))"
        }
        for var problem in RunOutcome.problems(of: report, failOnLoss: false) {
            if problem.code == "join.out_of_step" {
                let remedy = "convert each input to an MCAP file, these files to one MCAP file, and that to \(name)"
                problem.help = [remedy] + problem.help.dropFirst()
            }
            console.say(problem)
        }
        let count = written(report)
        let sources = report.ledger.nodes.filter { $0.role == .source }
        let failed = sources.reduce(0) { $0 + $1.failed }
        let cutOff = sources.reduce(0) { $0 + $1.counts[Counts.cutOff, default: 0] }
        let unwritten = report.ledger.nodes.last?.dropped["too_many_streams", default: 0] ?? 0
        let isWhole = failed == 0 && cutOff == 0 && unwritten == 0
        if count > 0 || (report.isSuccess && (isWhole || !isNew)) {
            console.say("\(Counted.text(count, "frame")) written to \(name)")
        }
        if report.isSuccess {
            warn(of: unmatched.all, inputs, console)
            warn(of: overlaps, name, console)
        }
        for (kind, messages) in others?.counts ?? [] {
            console.say("\(Counted.text(messages, "message")) of kind \(kind) left out")
        }
        if failed > 0 {
            console.error("\(Counted.text(Int(failed), "message")) could not be read", code: "convert.incomplete")
        }
        if cutOff > 0 {
            console.error(
                "the end of \(Counted.text(Int(cutOff), "input")) is missing", code: "convert.incomplete",
                help: ["pipectl recover writes what a damaged MCAP file still has, and says what is lost"])
        }
        if unwritten > 0 {
            console.error(
                "\(Counted.text(Int(unwritten), "frame")) could not be written, because a file cannot have more streams",
                code: "convert.incomplete", help: ["select some of the streams with --streams"])
        }
        // If the reader of standard output has closed it, no frame is written although frames were selected.
        if count == 0, isWhole, report.isSuccess, sources.allSatisfy({ $0.passed == 0 }) {
            warnOfNothing(inputs, console)
        }
        let code = RunOutcome.code(of: report, failOnLoss: false)
        if count == 0, isNew, !isWhole || code != .done { unlink(name) }
        return code == .done && !isWhole ? .failed : code
    }
}
