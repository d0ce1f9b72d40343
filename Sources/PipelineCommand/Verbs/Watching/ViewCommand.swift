import Connectors
import Pipeline
import PipelineComponents
import PipelineConfiguration
import PipelineServer

extension Command {
    private static let address = Flag<ServeAddress>.parsed(
        "serve", placeholder: "ADDRESS", wanted: ServeAddress.wanted, defaultText: "127.0.0.1:0",
        "Shows the recording at ADDRESS; by default at a free port"
    ) { ServeAddress($0) }

    /// `pipectl view RECORDING`.
    static let view: Command = Command(
        "view", "show a recording in a browser",
        details: """
            Shows a recording on the page of a run, where you can play it faster or slower, pause it, step through it, and jump to \
            any time. Without CONFIG, the page shows the frames of the recording. With CONFIG, it shows the results of the pipeline \
            for these frames, node by node, and explains them. The recording then replaces the pipeline's live sources, or all \
            sources if none is live, in simulated time; sinks write nothing.

            Everything that the page shows is held in memory, up to about 512 MB. The command ends on an interrupt.
            """,
        arguments: [
            Argument(
                "RECORDING", "the recording: MCAP or JSON Lines; with CONFIG, SOURCE=FILE replaces only SOURCE",
                completion: .files(RecordingEndings.all)),
            Argument(
                "CONFIG", "the pipeline that processes it, in YAML", arity: .optional,
                completion: .files([".yaml", ".yml"])),
        ],
        flags: [address.description, ServeFlags.token.description, PipelineLoading.set.description] + LogFlags.all,
        examples: [
            Example("pipectl view Samples/hands.jsonl", "Shows recorded hands"),
            Example(
                "pipectl view Samples/session.jsonl Configs/strokes.yaml",
                "Shows a pipeline's results for a session"),
        ]
    ) { invocation, console in
        if invocation.words.count < 2, !invocation.all(PipelineLoading.set).isEmpty {
            throw UsageError(
                "--set has an effect only on a pipeline, but none is given",
                help: "name one after the recording, or leave --set out")
        }
        let loaded = try invocation.words.dropFirst().first.map {
            try PipelineLoading.planAndFiles($0, invocation, console).get()
        }
        let simulation = try simulation(of: loaded, invocation)
        for note in simulation.notes { console.warning(note) }
        let options = ServeOptions(
            invocation[address] ?? ServeAddress("127.0.0.1:0"), token: invocation[ServeFlags.token])
        if let problem = options.problem { throw UsageError(problem.message, help: problem.help) }
        let server = try RunServer(
            simulation.plan, at: options,
            identity: RunIdentity(
                name: loaded?.plan.name ?? fileName(invocation.words[0]), file: invocation.words[0],
                program: (invocation.tool.name, invocation.tool.version),
                configuration: "sha256:" + SHA256.hex(loaded?.text?.whole.utf8 ?? "".utf8)))
        let interrupted = StopSignal()
        Signals.listen(console) { interrupted.request() }
        var running = simulation.options()
        running.log = console.log
        let recorded = await RecordedRun(simulation.plan, watch: server.watch, options: running)
        for problem in RunOutcome.problems(of: recorded.report, failOnLoss: false) { console.say(problem) }
        guard !recorded.isEmpty else {
            throw PipelineError.environment(
                "recording.empty", "\(invocation.words[0]) contains no frame that can be shown",
                help: "a recording is JSON Lines or MCAP, as the file sink writes them")
        }
        if !recorded.isWhole {
            console.warning("the recording needs more memory than the page may use: only its beginning is shown")
        }
        server.show(recorded)
        console.say("showing at \(server.address) until interrupted")
        await server.untilStopped(or: interrupted)
        await server.close()
        return RunOutcome.code(of: recorded.report, failOnLoss: false)
    }

    private static func simulation(of loaded: LoadedConfiguration?, _ invocation: Invocation) throws -> Simulation {
        let recording = invocation.words[0]
        guard let plan = loaded?.plan else { return try Simulation(showing: recording, among: invocation.kinds) }
        return try Simulation(showing: SimulationFlags.input(recording, plan), in: plan)
    }

    private static func fileName(_ path: String) -> String {
        String(path.split(separator: "/").last ?? path[...])
    }
}
