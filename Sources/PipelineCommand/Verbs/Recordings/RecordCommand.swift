import Pipeline
import Stages

extension Command {
    private static let pull = Flag.toggle("pull", "Takes a share of what is pushed, instead of what is published")
    private static let bind = Flag.toggle("bind", "Waits at the address for senders, instead of going to one")
    private static let limit = Flag.integer("limit", in: 1...(.max), "Stops after N frames")
    private static let seconds = Flag.positive("duration", placeholder: "S", "Stops after S seconds")

    /// `pipectl record ENDPOINT|CONFIG -o FILE`.
    static let record: Command = Command(
        "record", "record what comes in, until it is interrupted",
        details: """
            Records the messages at a ZeroMQ endpoint, or what the sources of a pipeline bring, without its stages. With several sources each has a \
            file of its own, with its name before the ending. Of MCAP at most the last second is lost if the program is killed.
            """,
        arguments: [
            Argument(
                "ENDPOINT|CONFIG", "where messages come from: an address, or a pipeline with sources",
                completion: .files([".yaml", ".yml"]))
        ],
        flags: [
            RecordingFlags.out.description, RecordingFlags.kind.description, RecordingFlags.compression.description,
            pull.description, bind.description, limit.description, seconds.description,
            RecordingFlags.force.description, PipelineLoading.set.description,
        ],
        examples: [
            Example(
                "pipectl record tcp://127.0.0.1:5556 --kind=hands -o session.mcap", "Records a camera's hands"),
            Example("pipectl record live.yaml -o session.mcap --duration=60", "A minute of what a pipeline receives"),
        ]
    ) { invocation, console in
        guard let out = invocation[RecordingFlags.out] else {
            throw UsageError("--out is missing", help: "say where the recording goes: -o session.mcap")
        }
        let sources =
            invocation.words[0].contains("://")
            ? [try endpoint(invocation)] : try sources(of: invocation.words[0], invocation, console)
        var nodes = sources
        var files: [String] = []
        for (place, source) in sources.enumerated() {
            guard let output = source.output else { continue }
            let path = sources.count == 1 ? out : insert(source.id, into: out)
            try RecordingFlags.checkOutput(path, inputs: [], invocation)
            var file = FileSink.Options()
            file.path = OutputPath(path)
            file.compression = invocation[RecordingFlags.compression] ?? .auto
            file.ifExists = invocation[RecordingFlags.force] ? .overwrite : .fail
            let sink = try FileSink.make(file, for: output, BuildContext(id: path, mode: .live))
            files.append(path)
            nodes.append(
                Plan.Node(
                    id: path, component: FileSink.manifest.name, body: .sink(sink), input: output,
                    edges: [Plan.Edge(from: place)]))
        }
        var options = Run.Options()
        options.log = console.log
        options.limit = invocation[limit].map(Int64.init)
        options.durationMs = invocation[seconds].map { Int64(min($0 * 1000, 1e15)) }
        let run = Run(Plan(name: "record", mode: .live, nodes: nodes), options: options)
        Signals.listen { run.stop() }
        let report = await ProgressReporter(measure: { RunProgress.measure(run) }, console: console).during {
            await run.finished()
        }
        let written = report.ledger.nodes.filter { $0.role == .sink }.reduce(0) { $0 + $1.passed }
        console.say("\(Counted.text(Int(written), "frame")) written to \(files.joined(separator: ", "))")
        for problem in RunVerdict.problems(of: report, failOnLoss: false) { problem.say(on: console) }
        return RunVerdict.code(of: report, failOnLoss: false)
    }

    private static func endpoint(_ invocation: Invocation) throws -> Plan.Node {
        let place: ZMQEndpoint
        do { place = try ZMQEndpoint(invocation.words[0]) } catch {
            throw UsageError("\(invocation.words[0]) is no endpoint", help: "as in tcp://127.0.0.1:5556")
        }
        guard let kind = invocation[RecordingFlags.kind] else {
            throw UsageError(
                "--kind is missing", help: "say what is sent there, as in --kind=hands; pipectl listen finds out")
        }
        var options = ZMQSource.Options()
        options.kind = kind
        options.socket = invocation[pull] ? .pull : .sub
        if invocation[bind] { options.socketOptions.bind = [place] } else { options.socketOptions.connect = [place] }
        let source = try ZMQSource.make(options, BuildContext(id: "zmq", mode: .live))
        return Plan.Node(
            id: "zmq", component: ZMQSource.manifest.name,
            body: .source(source, Plan.SourceRules(onDisorder: .newEpoch)), output: source.output, onError: .skip)
    }

    private static func sources(
        of path: String, _ invocation: Invocation, _ console: Console
    ) throws -> [Plan.Node] {
        let plan = try PipelineLoading.plan(path, invocation, console).get()
        return plan.nodes.filter(\.edges.isEmpty)
    }

    /// `session.mcap` with `camera` is `session-camera.mcap`.
    private static func insert(_ id: String, into path: String) -> String {
        guard let point = path.lastIndex(of: "."), !path[point...].contains("/") else { return "\(path)-\(id)" }
        return "\(path[..<point])-\(id)\(path[point...])"
    }
}
