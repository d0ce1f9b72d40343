import Connectors
import Pipeline
import PipelineComponents

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension Command {
    private static let pull = Flag.toggle("pull", "Receives a share of the pushed messages instead of published ones")
    private static let bind = Flag.toggle("bind", "Waits at the address for senders instead of connecting to one")
    private static let limit = Flag.integer("limit", in: 1...(.max), "Stops after N frames")
    private static let kind = Flag.text(
        "kind", placeholder: "KIND", offers: { $0.registry.kinds.map(\.name) },
        "The kind of frames; required for an endpoint")

    private static let splitSize = Flag<UInt64>.parsed(
        "split-size", placeholder: "SIZE", wanted: "a size with its unit, as in 100MB (kB, MB or GB)",
        "Starts a new file when the current one reaches SIZE"
    ) { text in
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let units: [Substring: UInt64] = ["kB": 1000, "KB": 1000, "MB": 1_000_000, "GB": 1_000_000_000]
        guard let unit = units[text.dropFirst(digits.count)], let number = UInt64(digits), number > 0 else {
            return nil
        }
        return number.multipliedSaturated(by: unit)
    }
    private static let splitDuration = span(
        "split-duration", "Starts a new file when the current one is TIME old, as in 60s")
    private static let last = span(
        "last",
        "Keeps the frames of the last TIME, as in 30s, in memory; writes them at the end and whenever SIGUSR1 arrives"
    )

    private static func span(_ name: String, _ summary: String) -> Flag<Int64> {
        .parsed(name, placeholder: "TIME", wanted: "a time above 0 with its unit, as in 30s", summary) { text in
            DurationText.nanoseconds(text[...]).flatMap { $0 > 0 ? $0 : nil }
        }
    }

    /// `pipectl record ENDPOINT|CONFIG -o FILE`.
    static let record: Command = Command(
        "record", "record live data, until an interrupt or a limit",
        details: """
            Records the messages at a ZeroMQ endpoint, or the frames of a pipeline's sources, without its stages. If there are \
            several sources, each has its own file, with the source's name before the ending. If the program is killed, an MCAP \
            file loses at most the last second.

            Split files are named session-001.mcap and so on, and each can be read by itself. With --last, nothing is written \
            until SIGUSR1 arrives (kill -USR1) or the recording ends. Each time, the frames in memory are written to a new file: \
            first to FILE, then to FILE with the next free number.
            """,
        arguments: [
            Argument(
                "ENDPOINT|CONFIG", "the address of a sender, or a pipeline whose sources are recorded",
                completion: .files([".yaml", ".yml"]))
        ],
        flags: [
            RecordingFlags.out.description, kind.description, RecordingFlags.compression.description,
            pull.description, bind.description, limit.description, Flags.end.description,
            splitSize.description, splitDuration.description, last.description, RecordingFlags.scene.description,
            RecordingFlags.force.description, PipelineLoading.set.description,
        ] + LogFlags.all,
        examples: [
            Example(
                "pipectl record tcp://127.0.0.1:5556 --kind=hands -o session.mcap", "Records a camera's hands"),
            Example(
                "pipectl record live.yaml -o session.mcap --split-duration=600s", "Writes a file for every ten minutes"),
            Example(
                "pipectl record live.yaml -o fall.mcap --last=30s",
                "Writes the half minute before control-C, and before every kill -USR1"),
            Example(
                "pipectl record live.yaml -o session.mcap --duration=60", "Records a pipeline's input for a minute"),
        ]
    ) { invocation, console in
        guard let out = invocation[RecordingFlags.out] else {
            throw UsageError("--out is missing", help: "name the file to write: -o session.mcap")
        }
        try RecordingFlags.checkEnding(out, "end the name in .mcap, .jsonl, .csv or .msgpack")
        let isEndpoint = looksLikeEndpoint(invocation.words[0])
        try refuseUseless(isEndpoint: isEndpoint, invocation)
        let (sources, provenance) =
            isEndpoint
            ? try endpoint(invocation) : try sources(of: invocation.words[0], invocation, console)
        let needsMCAP = [splitSize.description, splitDuration.description, last.description].contains {
            invocation.values[$0.name] != nil
        }
        if needsMCAP, !MCAPFile.isWritten(at: out) {
            throw UsageError("only MCAP can be split or kept in memory", help: "end the name in .mcap: -o session.mcap")
        }
        let isSplit = invocation[splitSize] != nil || invocation[splitDuration] != nil
        if isSplit, invocation[last] != nil {
            throw UsageError(
                "--last cannot be combined with --split-size or --split-duration", help: "leave one of them out")
        }
        let isMCAP = FileSink.Options { $0.path = OutputPath(out) }.knownFormat == .mcap
        try RecordingFlags.checkScene(isMCAP: isMCAP, invocation)
        try RecordingFlags.checkCompression(of: out, isMCAP: isMCAP, invocation, console)
        var nodes = sources
        var files: [RecordedFile] = []
        for (place, source) in sources.enumerated() {
            guard let output = source.output else { continue }
            let path = sources.count == 1 ? out : out.inserting(source.id)
            let split = isSplit ? RecordingSplit(bytes: invocation[splitSize], time: invocation[splitDuration]) : nil
            if split == nil {
                try RecordingFlags.checkOutput(path, inputs: [], invocation)
            } else {
                // Also a later part must not meet an existing file, because it would end the recording.
                for part in RecordingSplit.existing(of: path) {
                    try RecordingFlags.checkOutput(part, inputs: [], invocation)
                }
            }
            let recorded = RecordedFile(path, split, invocation[last].map { RecordingRing(last: $0) })
            var file = FileSink.Options()
            file.path = OutputPath(path)
            file.compression = invocation[RecordingFlags.compression] ?? .auto
            file.ifExists = invocation[RecordingFlags.force] ? .overwrite : .fail
            file.existingHelp = RecordingFlags.existingHelp
            (file.split, file.ring, file.scene) = (split, recorded.ring, invocation[RecordingFlags.scene])
            let sink = try FileSink.make(file, for: output, BuildContext(id: path, mode: .live))
            files.append(recorded)
            nodes.append(
                Plan.Node(
                    id: path, component: FileSink.manifest.name, body: .sink(sink), input: output,
                    edges: [Plan.Edge(from: place)]))
        }
        var options = Run.Options()
        options.log = console.log
        options.provenance = provenance
        options.limit = invocation[limit].map(Int64.init)
        options.durationMs = invocation[Flags.end].map { max(1, $0 / 1_000_000) }
        let supervision = Supervision(console)
        supervision.reportReadiness(of: &options)
        let run = Run(Plan(name: "record", mode: .live, nodes: nodes), options: options)
        supervision.watch(run) { RunProgress.measure(run).words }
        let packing = invocation[RecordingFlags.compression] ?? .auto
        let kept = files
        if invocation[last] != nil {
            Signals.onUser { for file in kept { file.saveReportingErrors(packing, console) } }
            console.say("kill -USR1 \(getpid()) writes the frames in memory")
        }
        let report = await ProgressReporter(measure: { RunProgress.measure(run) }, console: console).during {
            await run.finished()
        }
        let unread = report.ledger.nodes.filter { $0.role == .source }.reduce(0) { $0 + $1.failed }
        let unsaved = files.compactMap { $0.saveReportingErrors(packing, console) }
        if invocation[last] == nil {
            let written = report.ledger.nodes.filter { $0.role == .sink }.reduce(0) { $0 + $1.passed }
            let names = files.flatMap(\.names).filter(OutputFile.exists)
            console.say(
                "\(Counted.text(Int(written), "frame")) written"
                    + (names.isEmpty ? ", and no file" : " to \(names.joined(separator: ", "))"))
            let lost = report.ledger.nodes.filter { $0.role == .sink }.reduce(0) { $0 + $1.failed + $1.droppedTotal }
            if lost > 0 { console.warning("\(Counted.text(Int(lost), "frame")) could not be written") }
            if unread > 0 { console.warning("\(Counted.text(Int(unread), "message")) could not be read") }
            if written == 0, unread > 0 {
                console.say(
                    "describe the messages with decode: in a configuration, and record that: pipectl listen helps")
                return .failed
            }
        }
        for problem in RunOutcome.problems(of: report, failOnLoss: false) { console.say(problem) }
        let code = RunOutcome.code(of: report, failOnLoss: false)
        return code == .done ? unsaved.first.map { ExitCode($0.category) } ?? code : code
    }

    /// Throws a usage error for a flag that has no effect on what is recorded.
    private static func refuseUseless(isEndpoint: Bool, _ invocation: Invocation) throws {
        let useless =
            isEndpoint
            ? [PipelineLoading.set.description]
            : [kind.description, pull.description, bind.description]
        for flag in useless where invocation.values[flag.name] != nil {
            throw UsageError(
                "--\(flag.name) has an effect only on \(isEndpoint ? "a pipeline" : "an endpoint")",
                help: isEndpoint
                    ? "leave it out, or name a pipeline whose source receives from \(invocation.words[0])"
                    : "leave it out: the sources of the pipeline have options for it; --set gives them other values")
        }
    }

    /// Whether a word is meant as an endpoint rather than the path of a configuration. `tcp:127.0.0.1:5556` and `127.0.0.1:5556`
    /// count as endpoints, so that what is missing is reported.
    private static func looksLikeEndpoint(_ word: String) -> Bool {
        word.contains("://") || hasTransport(word) || (isHostAndPort(word) && !OutputFile.exists(word))
    }

    private static func hasTransport(_ word: String) -> Bool {
        ["tcp:", "ipc:", "inproc:"].contains(where: word.hasPrefix)
    }

    private static func isHostAndPort(_ word: String) -> Bool {
        word.lastIndex(of: ":").map { $0 > word.startIndex && UInt16(word[word.index(after: $0)...]) != nil } ?? false
    }

    private static func endpoint(_ invocation: Invocation) throws -> ([Plan.Node], [Provenance]) {
        let place: ZMQEndpoint
        do { place = try ZMQEndpoint(invocation.words[0]) } catch {
            let parts = invocation.words[0].split(separator: ":", maxSplits: 1)
            let rest = parts.last.map { $0.drop { $0 == "/" } } ?? ""
            guard invocation.words[0].contains("://") || hasTransport(invocation.words[0]) else {
                throw UsageError(error.message, help: "write tcp://\(invocation.words[0])")
            }
            throw UsageError(
                "\(invocation.words[0]) is not an endpoint",
                help: invocation.words[0].contains("://") || rest.isEmpty
                    ? "as in tcp://127.0.0.1:5556"
                    : "did you mean \"\(parts[0])://\(parts[0] == "ipc" ? "/" : "")\(rest)\"?")
        }
        guard let kind = try RecordingFlags.kind(invocation) else {
            throw UsageError(
                "--kind is missing", help: "name the kind of the frames, as in --kind=hands; pipectl listen shows it")
        }
        var options = ZMQSource.Options()
        options.kind = kind
        options.socket = invocation[pull] ? .pull : .sub
        if invocation[bind] { options.socketOptions.bind = [place] } else { options.socketOptions.connect = [place] }
        let source = try ZMQSource.make(options, BuildContext(id: "zmq", mode: .live))
        let node = Plan.Node(
            id: "zmq", component: ZMQSource.manifest.name,
            body: .source(source, SourceRules.ofRecordings), output: source.output, onError: .skip)
        let provenance = [
            Provenance(invocation.tool.name, invocation.tool.version), Provenance("endpoint", invocation.words[0]),
        ]
        return ([node], provenance)
    }

    private static func sources(
        of path: String, _ invocation: Invocation, _ console: Console
    ) throws -> ([Plan.Node], [Provenance]) {
        let loaded = try PipelineLoading.planAndFiles(path, invocation, console).get()
        return (
            loaded.plan.nodes.filter(\.edges.isEmpty),
            Array(invocation.tool, loaded, overrides: invocation.all(PipelineLoading.set))
        )
    }
}
