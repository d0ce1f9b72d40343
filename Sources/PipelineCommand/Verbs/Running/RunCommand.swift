import Connectors
import Pipeline
import PipelineComponents
import Stages

extension Command {
    private static let limit = Flag.integer("limit", in: 1...(.max), "Stops every source after N frames")
    private static let duration = Flag.positive("duration", placeholder: "S", "Stops after S seconds")
    private static let workers = Flag.integer(
        "workers", in: 1...256, defaultText: "the number of cores",
        "Reads files on N threads; results do not depend on N")
    private static let failOnLoss = Flag.toggle(
        "fail-on-loss", "Ends with 1 when a frame was dropped late or by an edge, lost or failed, or may have been")
    private static let drops = Flag.text(
        "drops", placeholder: "FILE", "Writes every dropped frame to FILE, as JSON Lines")

    private static let simulate = Flag.text(
        "simulate", placeholder: "[SOURCE=]FILE", repeats: true,
        "Runs a live pipeline in simulated time, with a recording in the place of its live sources, or of the one named"
    )

    private static let recording = Flag.text(
        "record", placeholder: "FILE",
        "Records the run in FILE (.mcap): what comes in, when, what is dropped, what comes out, and the configuration")

    /// `pipectl run CONFIG`.
    static let run: Command = Command(
        "run", "run a pipeline",
        details: """
            What the pipeline's sinks write to standard output is all that stands there; progress and the summary at the end are messages.
            Interrupt once (control-C) and the sources stop, the rest drains and the summary is shown; interrupt twice and it ends at once.

            With --simulate the frames of a recording (JSON Lines or MCAP, as a file sink of a live run writes them) come when they came then, components \
            take as long as --service says, and what is delivered and dropped is the same on every machine, as fast as it can be computed. Only \
            standard output is written to: other sinks stay closed.
            """,
        arguments: [PipelineLoading.config],
        flags: [
            PipelineLoading.set.description, limit.description, duration.description, workers.description,
            failOnLoss.description,
            drops.description, recording.description, simulate.description, SimulationFlags.service.description,
            Flags.format.description,
        ],
        examples: [
            Example("pipectl run Configs/strokes.yaml", "Recognises the gestures of a recorded session"),
            Example(
                "pipectl run strokes.yaml --set match.max_results=3", "Changes an option of the component named match"),
            Example("pipectl run strokes.yaml --limit=100 -q | head", "Stops early, and says nothing but results"),
            Example("sed s/5556/5557/ live.yaml | pipectl run -", "Runs what another program writes"),
            Example("pipectl run live.yaml --record box.mcap", "Keeps all that pipectl replay --exact box.mcap needs"),
            Example(
                "pipectl run live.yaml --simulate recorded.jsonl --service match=15ms",
                "Tells what would be dropped if a match took 15 ms"),
        ]
    ) { invocation, console in
        let loaded = try PipelineLoading.planAndFiles(invocation.words[0], invocation, console).get()
        var plan = loaded.plan
        if invocation.words[0] == "-", let reader = plan.nodes.first(where: { $0.component == "stdin" }) {
            throw UsageError(
                "\"\(reader.id)\" reads standard input, where the pipeline itself came from",
                help: "write the pipeline to a file, and name that")
        }
        var options = Run.Options()
        let recordings = invocation.all(simulate)
        if !recordings.isEmpty {
            let simulation = try SimulationFlags.simulation(of: plan, recordings: recordings, invocation, console)
            (plan, options) = (simulation.plan, simulation.options())
        } else if !invocation.all(SimulationFlags.service).isEmpty {
            throw UsageError("--service is for simulated time", help: "add --simulate FILE")
        }
        let dropFile = try invocation[drops].map { path in
            if path == "-" {
                throw UsageError(
                    "--drops needs a file: results stand on standard output, messages on standard error",
                    help: "write --drops=drops.jsonl, or ./- for a file of that name")
            }
            if let use = loaded.files.using(path) {
                throw UsageError("--drops would write over \(path), \(use.clause)", help: "give it another file")
            }
            try OutputFile.refuse(
                path, of: drops.description, over: recordings.map { SimulationFlags.path($0, loaded.plan) })
            return try DropFile(path)
        }
        let recorder = try invocation[recording].map { path in
            let others =
                recordings.map { SimulationFlags.path($0, loaded.plan) } + [invocation[drops]].compactMap { $0 }
            try OutputFile.refuse(path, of: recording.description, over: others)
            return try RunRecorder(
                path, loaded, config: invocation.words[0], settings: invocation.all(PipelineLoading.set),
                clock: options.clock, invocation.tool)
        }
        if let recorder { plan = try recorder.recording(plan) }
        options.tape = recorder?.tape
        options.provenance = Array(
            invocation.tool, loaded, settings: invocation.all(PipelineLoading.set))
        options.log = console.log
        options.limit = invocation[limit].map(Int64.init)
        if let workers = invocation[workers] { options.workers = workers }
        options.durationMs = invocation[duration].map { Int64(min($0 * 1000, 1e15)) }
        if dropFile != nil || recorder != nil {
            options.onDrop = { drop in
                dropFile?.write(drop)
                recorder?.note(drop)
            }
        }
        let run = Run(plan, options: options)
        Signals.listen { run.stop() }
        let report = await finish(run, plan, isLive: plan.mode == .live && recordings.isEmpty, console)
        // A person is told what became of all frames, whether the drops could be written or not.
        let notWritten = dropFile?.close()
        try recorder?.finish()
        let summary = RunSummary(report: report, isSimulated: !recordings.isEmpty)
        let asJSON = invocation[Flags.format] == .json
        // The report is what a program asked for; where the pipeline's own results stand it would be in their way.
        if asJSON, !writesResults(plan) {
            try console.writeVerdict(summary.json.document)
        } else if asJSON {
            console.writeMessage(summary.json.document)
        } else {
            console.sayWhole(summary.text(console.messageStyle))
        }
        let code = verdict(summary.report, failOnLoss: invocation[failOnLoss], isSaid: !asJSON, console)
        guard let notWritten else { return code }
        console.error(notWritten.message, code: notWritten.code, help: [])
        return code == .done ? ExitCode(notWritten.category) : code
    }

    /// Waits for the end; a line says meanwhile how it is doing, where it would not be written into the results.
    private static func finish(
        _ run: Run, _ plan: Plan, isLive: Bool, _ console: Console
    ) async -> RunReport {
        run.start()
        let writesToTerminal = console.resultsAreLive && writesResults(plan)
        if writesToTerminal { return await run.finished() }
        let meter = LiveStatusMeter()
        let reporter =
            isLive
            ? ProgressReporter(
                measure: { meter.measure(run.ledger, now: SystemClock().now) }, console: console,
                verbosityOfLines: .verbose)
            : ProgressReporter(measure: { RunProgress.measure(run) }, console: console)
        return await reporter.during { await run.finished() }
    }

    /// Whether a sink of the pipeline writes to standard output.
    private static func writesResults(_ plan: Plan) -> Bool {
        plan.nodes.contains { $0.component == "stdout" && $0.output == nil }
    }

    /// The exit code, and what went wrong in words, unless it stands in a report.
    private static func verdict(
        _ report: RunReport, failOnLoss: Bool, isSaid: Bool, _ console: Console
    ) -> ExitCode {
        if isSaid {
            for problem in RunVerdict.problems(of: report, failOnLoss: failOnLoss) { problem.say(on: console) }
        }
        return RunVerdict.code(of: report, failOnLoss: failOnLoss)
    }
}
