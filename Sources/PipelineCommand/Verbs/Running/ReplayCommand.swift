import Connectors
import Pipeline
import PipelineComponents
import Stages

extension Command {
    private static let endpoint = Flag<ZMQEndpoint>.parsed(
        "to", placeholder: "ENDPOINT", wanted: "an endpoint, as in tcp://127.0.0.1:5556 or ipc:///tmp/pen.sock",
        defaultText: "tcp://127.0.0.1:5556", "The endpoint to publish at; subscribers connect to it"
    ) { try? ZMQEndpoint($0) }
    private static let rate = Flag<ReplayRate>.parsed(
        "rate", placeholder: "N|max", wanted: "max or a number from 0.001 to 1000", defaultText: "1",
        "The speed relative to the recording; max sends as fast as possible"
    ) { text in
        if text == "max" { return .max }
        return Double(text).flatMap { (0.001...1000).contains($0) ? .times($0) : nil }
    }
    private static let waitForSubscribers = Flag.integer(
        "wait-for-subscribers", in: 1...10_000, "Waits for N subscribers before it starts; starts at once if not given")
    private static let remap = Flag<(pattern: String, name: String)>.parsed(
        "remap", placeholder: "OLD=NEW", wanted: "two names of streams, as in hand/left=left", repeats: true,
        "Sends a stream, given by name or pattern, under another name"
    ) { text in
        guard let equals = text.lastIndex(of: "="), equals != text.startIndex,
            equals != text.index(before: text.endIndex)
        else { return nil }
        return (String(text[..<equals]), String(text[text.index(after: equals)...]))
    }
    private static let exact = Flag.toggle(
        "exact", "Repeats a run that run --record recorded, and compares its results with the recorded ones")
    private static let loop = Flag.toggle("loop", "Starts again at the end, until an interrupt")

    /// `pipectl replay FILE`.
    static let replay: Command = Command(
        "replay", "send a recording as a live publisher would",
        details: """
            Publishes the frames of a recording over ZeroMQ (pub) at the times at which they arrived: the log times of MCAP, the \
            times of receipt (recv_us) of JSON Lines if it has them, otherwise the timestamps. The frames of each stream are \
            numbered from 0, and the last message of a stream contains end: true. A publisher does not wait for its subscribers: \
            a subscriber misses the messages that are sent before it connects, and those for which its queue has no room.

            With --exact, FILE is a recording that run --record wrote. Nothing is sent. The pipeline in the recording runs again \
            in simulated time on the recorded input, and each edge drops the same frames as in the recorded run. If the output is \
            not the same, byte for byte, the command names the first frame that differs, and exits with 1. If a stage failed and \
            so ended the run, the results until then are compared, and the replay must fail in the same way.

            On a terminal, space pauses and resumes, s or . sends one frame and pauses, + doubles the speed and - halves it.
            """,
        arguments: [
            Argument(
                "FILE", "the recording: MCAP or JSON Lines, compressed or not",
                completion: .files(RecordingEndings.all))
        ],
        flags: [
            endpoint.description, rate.description, waitForSubscribers.description, loop.description, exact.description,
            RecordingFlags.kind.description, RecordingFlags.streams.description, remap.description,
            RecordingFlags.startOffset.description, RecordingFlags.duration.description,
        ] + LogFlags.all,
        examples: [
            Example("pipectl replay Samples/live.jsonl", "Publishes on tcp://127.0.0.1:5556, at the recorded speed"),
            Example(
                "pipectl replay hands.mcap --streams=hand/left --remap hand/left=left",
                "Publishes one stream of a recording under another name"),
            Example(
                "pipectl replay live.jsonl --to ipc:///tmp/pen --wait-for-subscribers=1",
                "Waits for one subscriber before it starts"),
        ]
    ) { invocation, console in
        if invocation[exact] { return try await ExactReplay(invocation.words[0], invocation.tool, console).run() }
        let control = Keys.areAvailable && console.messagesAreLive ? ReplayControl(invocation[rate] ?? .times(1)) : nil
        let plan = try plan(of: invocation, control)
        var options = Run.Options()
        options.log = console.log
        let supervision = Supervision(console)
        supervision.reportReadiness(of: &options)
        let run = Run(plan, options: options)
        supervision.watch(run) { RunProgress.measure(run).words }
        if let control { Keys.listen { handle($0, control, console) } }
        defer { Keys.restore() }
        let report = await ProgressReporter(measure: { RunProgress.measure(run) }, console: console).during {
            await run.finished()
        }
        let sent = report.ledger.nodes.last?.passed ?? 0
        console.say(
            "\(Counted.text(Int(sent), "frame")) sent, in \(ProgressBar.duration(Double(report.duration) / 1e9))")
        for problem in RunOutcome.problems(of: report, failOnLoss: false) { console.say(problem) }
        return RunOutcome.code(of: report, failOnLoss: false)
    }

    private static func handle(_ key: Character, _ control: ReplayControl, _ console: Console) {
        let now = SystemClock().now
        switch key {
        case " ": control.togglePause(at: now)
        case "s", ".": control.step(at: now)
        case "+", "=": control.faster(at: now)
        case "-": control.slower(at: now)
        default: return
        }
        let status = control.status
        let rate = status.rate.map { "\($0) times the recorded speed" } ?? "as fast as possible"
        console.say(status.isPaused ? "paused; space resumes, s sends one frame" : rate)
    }

    private static func plan(of invocation: Invocation, _ control: ReplayControl?) throws -> Plan {
        let recording = try Recording(readingFrom: invocation.words[0], among: invocation.kinds)
        var file = FileSource.Options()
        file.path = FilePath(recording.path)
        file.format = recording.arrivals == .log ? .mcap : .jsonl
        file.kind =
            try recording.arrivals == .log
            ? RecordingFlags.kind(of: [recording.path], invocation)
            : RecordingFlags.kind(invocation) ?? recording.kind ?? .stroke
        file.streams = RecordingFlags.streams(invocation)
        file.renameStreams = StreamNames(invocation.all(remap))
        file.startOffsetMs = Double(invocation[RecordingFlags.startOffset] ?? 0) / 1e6
        file.durationMs = invocation[RecordingFlags.duration].map { Double($0) / 1e6 }
        file.rate = invocation[rate] ?? .times(1)
        file.pace = .arrival
        file.loop = invocation[loop]
        let source = FileSource.make(file, BuildContext(id: "recording"), control)
        var publisher = ZMQSink.Options()
        let place = try invocation[endpoint] ?? ZMQEndpoint("tcp://127.0.0.1:5556")
        if let (problem, help) = place.problemOfBinding {
            throw UsageError("cannot bind \(place): \(problem)", help: help)
        }
        (publisher.socketOptions.bind, publisher.socketOptions.ipv6) = ([place], place.isIPv6)
        publisher.waitForSubscribers = invocation[waitForSubscribers] ?? 0
        let sink = try ZMQSink.make(publisher, for: source.output, BuildContext(id: "publisher"))
        return Plan(
            name: recording.path,
            nodes: [
                // A recording may contain several sessions. Each session after the first one begins a new epoch.
                Plan.Node(
                    id: "recording", component: FileSource.manifest.name,
                    body: .source(source, SourceRules.ofRecordings), output: source.output,
                    onError: .skip),
                Plan.Node(
                    id: "publisher", component: ZMQSink.manifest.name, body: .sink(sink), input: source.output,
                    edges: [Plan.Edge(from: 0)]),
            ])
    }
}
