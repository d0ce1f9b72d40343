import Connectors
import Pipeline
import PipelineComponents
import PipelineServer
import Stages

extension Command {
    private static let limit = Flag.integer("limit", in: 1...(.max), "Stops every source after N frames")
    private static let workers = Flag.integer(
        "workers", in: 1...256, defaultText: "the number of cores",
        "Reads files with N threads; the results do not depend on N")
    private static let failOnLoss = Flag.toggle(
        "fail-on-loss",
        "Exits with 1 if a frame was lost or may have been: dropped by an edge, late, failed, or lost on the network")
    private static let drops = Flag.text(
        "drops", placeholder: "FILE", "Writes every dropped frame to FILE, as JSON Lines")

    private static let simulate = Flag.text(
        "simulate", placeholder: "[SOURCE=]FILE", repeats: true,
        "Runs a live pipeline in simulated time, with a recording in place of its live sources, or of SOURCE"
    )

    private static let recording = Flag.text(
        "record", placeholder: "FILE",
        "Records the run in FILE (.mcap): all input with its times, drops, results, and the configuration")

    private static let report = Flag.text(
        "report", placeholder: "FILE",
        "Writes the outcome of the run to FILE, as JSON, even if the run fails or is stopped")

    /// `pipectl run CONFIG`.
    static let run: Command = Command(
        "run", "run a pipeline",
        details: """
            Standard output is for the pipeline's sinks. Progress, and the report at the end, go to standard error. With \
            --format=json, the report goes to standard output if no sink writes there.
            Interrupt once (control-C) to stop the sources: the frames in flight are still processed, and the report is shown. \
            Interrupt twice to end at once.

            With --simulate, the frames of a recording (JSON Lines or MCAP, as a file sink of a live run writes them) arrive at \
            their recorded times, and components take as long as --service says. The same frames are delivered and dropped on \
            every machine. The simulation runs as fast as it can be computed. Only sinks that write to standard output are \
            opened.
            """,
        arguments: [PipelineLoading.config],
        flags: [
            PipelineLoading.set.description, limit.description, Flags.end.description, workers.description,
            failOnLoss.description,
            drops.description, recording.description, ServeFlags.serve.description, ServeFlags.token.description,
            ServeFlags.keep.description, simulate.description, SimulationFlags.service.description,
            report.description, Flags.format.description,
        ] + LogFlags.all,
        examples: [
            Example("pipectl run Configs/strokes.yaml", "Recognizes the gestures of a recorded session"),
            Example(
                "pipectl run strokes.yaml --set match.max_results=3", "Changes an option of the component named match"),
            Example("pipectl run strokes.yaml --limit=100 -q | head", "Stops early, and prints only results"),
            Example("sed s/5556/5557/ live.yaml | pipectl run -", "Runs a pipeline that another program writes"),
            Example(
                "pipectl run live.yaml --serve 127.0.0.1:7070", "Lets a browser inspect it at http://127.0.0.1:7070"),
            Example(
                "pipectl run live.yaml --record box.mcap",
                "Records everything that pipectl replay --exact box.mcap needs"),
            Example(
                "pipectl run live.yaml --log-format=json --report=run.json",
                "Writes messages and the report as data, for a supervising program"),
            Example(
                "pipectl run live.yaml --simulate recorded.jsonl --service match=15ms",
                "Shows what would be dropped if a match took 15 ms"),
        ]
    ) { invocation, console in
        // The messages of a simulation must be the same in every process, so they start without the time of day.
        var console = console
        console.isLog = console.isLog && invocation.all(simulate).isEmpty
        let loaded = try PipelineLoading.planAndFiles(invocation.words[0], invocation, console).get()
        var plan = loaded.plan
        if invocation.words[0] == "-", let reader = plan.nodes.first(where: { $0.component == "stdin" }) {
            throw UsageError(
                "\"\(reader.id)\" reads standard input, but the configuration was read from there",
                help: "write the configuration to a file, and name the file")
        }
        var options = Run.Options()
        let recordings = invocation.all(simulate)
        if !recordings.isEmpty {
            let simulation = try SimulationFlags.simulation(of: plan, recordings: recordings, invocation, console)
            (plan, options) = (simulation.plan, simulation.options())
        } else if !invocation.all(SimulationFlags.service).isEmpty {
            throw UsageError("--service has an effect only in simulated time", help: "add --simulate FILE")
        }
        let read = recordings.map { SimulationFlags.path($0, loaded.plan) }
        // All flags are checked before the first file is created, because creating a file empties an existing one.
        var outputs: [String] = []
        for flag in [drops, recording, report] {
            if let path = try output(flag, invocation, loaded, over: read, besides: outputs) { outputs.append(path) }
        }
        // A signal must not end the process after the first file was created: the file would stay without its end. A signal that
        // arrives before the run exists stops the run as soon as it does.
        let interrupted = StopSignal()
        Signals.listen(console) { interrupted.request() }
        // The server also comes first: its address may be in use.
        let server = try ServeFlags.options(loaded, invocation).map {
            try ServeFlags.server(for: plan, at: $0, loaded, invocation)
        }
        server?.attach(to: &options)
        let recorder = try invocation[recording].map { path in
            try RunRecorder(
                path, loaded, overrides: invocation.all(PipelineLoading.set), clock: options.clock, invocation.tool)
        }
        if let recorder { plan = try recorder.recording(plan) }
        let dropFile = try invocation[drops].map { try DropFile($0) }
        let reportFile = try invocation[report].map {
            try ReportFile($0, of: plan, config: invocation.words[0], invocation.tool, console)
        }
        options.tape = recorder?.tape
        options.provenance = Array(
            invocation.tool, loaded, overrides: invocation.all(PipelineLoading.set))
        options.log = console.log
        options.limit = invocation[limit].map(Int64.init)
        if let workers = invocation[workers] { options.workers = workers }
        options.durationMs = invocation[Flags.end].map { max(1, $0 / 1_000_000) }
        if dropFile != nil || recorder != nil {
            options.onDrop = { drop in
                dropFile?.write(drop)
                recorder?.note(drop)
            }
        }
        let supervision = Supervision(console)
        supervision.reportReadiness(of: &options)
        let run = Run(plan, options: options)
        // A run that cannot be recorded stops in an orderly way. `finish` of the recorder then throws the error.
        recorder?.hasFailed.onRequest { [weak run] in run?.stop() }
        let isSimulated = !recordings.isEmpty
        let isLive = plan.mode == .live && !isSimulated
        let clock = SystemClock()
        let meter = isLive ? LiveStatusMeter(start: clock.now) : nil
        let status: @Sendable () -> any StatusText = {
            if let meter { meter.measure(run.ledger, now: clock.now) } else { RunProgress.measure(run) }
        }
        supervision.watch(run, until: interrupted) {
            status().words
        } onForce: {
            try? reportFile?.end(RunReportText(report: run.standing, isSimulated: isSimulated), .interrupted)
        }
        if invocation.words[0] != "-", !isSimulated {
            let reloader = RunReloader(
                run, of: loaded.whole, at: invocation.words[0], console: console, service: supervision.service,
                server: server
            ) { [console] in PipelineLoading.load(invocation.words[0], invocation, console) }
            server?.onReload = { await reloader.reload() }
            Signals.onHangup { Task { await reloader.reload() } }
        }
        server?.serve(run)
        if let server { console.say("serving at \(server.address)") }
        let ended = await finish(run, plan, isLive: isLive, console, status)
        var summary = RunReportText(report: ended, isSimulated: isSimulated)
        var code = RunOutcome.code(of: ended, failOnLoss: invocation[failOnLoss])
        // An error in one output must prevent neither the other outputs nor the report, so errors are reported at the end.
        func write(_ flag: FlagDescription, _ body: () throws -> Void) {
            do { try body() } catch {
                let error = PipelineError(wrapping: error)
                summary.unwritten.append(("--\(flag.name)", error))
                if code == .done { code = ExitCode(error.category) }
            }
        }
        write(drops.description) { try dropFile?.close() }
        write(recording.description) { try recorder?.finish(ended.failures) }
        write(report.description) { try reportFile?.end(summary, code) }
        // The JSON report goes to standard output, unless the pipeline writes its results there.
        let asJSON = invocation[Flags.format] == .json
        if asJSON, !writesResults(plan) {
            try console.writeOutcome(summary.json.document)
        } else if asJSON, console.logFormat == .text {
            console.writeMessage(summary.json.document)
        } else {
            // If the run failed before any frame arrived, the table would hold only zeros.
            let text = summary.hasFrames || ended.failures.isEmpty ? summary.text(console.messageStyle) : ""
            console.say(summary.message, text)
        }
        if !asJSON {
            let problems = RunOutcome.problems(of: ended, in: plan, failOnLoss: invocation[failOnLoss])
            for problem in problems { console.say(problem) }
            if console.showsStatus { invocation.tool.suggestExplanation(of: problems.compactMap(\.code), console) }
        }
        for (_, error) in summary.unwritten { console.error(error) }
        if let server { await ServeFlags.end(server, unless: interrupted, invocation, console) }
        return code
    }

    /// Returns the path of the output file that a flag names; `nil` if the flag was not given.
    ///
    /// - Throws: A usage error for `-`, for a name that does not fit the flag, and for a file that the configuration names or the
    ///   command reads or writes. An environment error for a path at which there can be no file.
    private static func output(
        _ flag: Flag<String>, _ invocation: Invocation, _ loaded: LoadedConfiguration, over read: [String],
        besides outputs: [String]
    ) throws -> String? {
        guard let path = invocation[flag] else { return nil }
        let name = flag.description.name
        if name == recording.description.name {
            guard MCAPFile.isWritten(at: path) else {
                throw UsageError("--record writes MCAP", help: "end the name in .mcap: --record run.mcap")
            }
        } else if path == "-" {
            throw UsageError(
                "--\(name) needs a file: results go to standard output, messages to standard error",
                help:
                    "write --\(name)=\(name).\(name == drops.description.name ? "jsonl" : "json"), or ./- for a file of that name"
            )
        }
        try OutputFile.refuse(path, of: flag.description, over: loaded.files)
        try OutputFile.refuse(path, of: flag.description, over: read)
        try OutputFile.refuse(path, of: flag.description, besides: outputs)
        try OutputFile.checkPlace(path)
        return path
    }

    /// Starts the run and waits for its end. Shows progress, unless results go to the same terminal.
    private static func finish(
        _ run: Run, _ plan: Plan, isLive: Bool, _ console: Console, _ status: @escaping @Sendable () -> any StatusText
    ) async -> RunReport {
        run.start()
        let writesToTerminal = console.resultsAreLive && writesResults(plan)
        if writesToTerminal { return await run.finished() }
        let reporter = ProgressReporter(measure: status, console: console, levelOfLines: isLive ? .debug : .info)
        return await reporter.during { await run.finished() }
    }

    /// Whether a sink of the pipeline writes to standard output.
    private static func writesResults(_ plan: Plan) -> Bool {
        plan.nodes.contains { $0.component == "stdout" && $0.output == nil }
    }
}
