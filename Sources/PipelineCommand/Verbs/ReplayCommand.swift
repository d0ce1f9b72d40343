import Pipeline
import Stages

extension Command {
    private static let endpoint = Flag<ZMQEndpoint>.parsed(
        "to", placeholder: "ENDPOINT", wanted: "an endpoint, as in tcp://127.0.0.1:5556 or ipc:///tmp/pen.sock",
        defaultText: "tcp://127.0.0.1:5556", "Where to publish: subscribers connect to it"
    ) { try? ZMQEndpoint($0) }
    private static let rate = Flag<ReplayRate>.parsed(
        "rate", placeholder: "N|max", wanted: "max or a number from 0.001 to 1000", defaultText: "1",
        "How many times as fast as it came; max for as fast as it can be sent"
    ) { text in
        if text == "max" { return .max }
        return Double(text).flatMap { (0.001...1000).contains($0) ? .times($0) : nil }
    }
    private static let waitForSubscribers = Flag.integer(
        "wait-for-subscribers", in: 1...10_000, "Begins when N subscribers are there; at once without it")
    private static let loop = Flag.toggle("loop", "Begins again at the end, until it is interrupted")

    /// `pipectl replay FILE`.
    static let replay: Command = Command(
        "replay", "send a recording as a live publisher would",
        details: """
            Publishes the frames of a recording over ZeroMQ (pub) when they came: by their times of receipt (recv_us) where they have such, else by \
            their timestamps. Streams are numbered from 0, and the last message of each says end: true. A publisher waits for nobody: \
            what a subscriber has no room for, or what is sent before it has come, it does not get.
            """,
        arguments: [
            Argument(
                "FILE", "the recording: JSON Lines of one kind of frames", completion: .files([".jsonl", ".ndjson"]))
        ],
        flags: [
            endpoint.description, rate.description, waitForSubscribers.description, loop.description,
        ],
        examples: [
            Example("pipectl replay Samples/live.jsonl", "Publishes on tcp://127.0.0.1:5556, as fast as it came"),
            Example(
                "pipectl replay live.jsonl --to ipc:///tmp/pen --wait-for-subscribers=1",
                "Waits until a subscriber is there"),
        ]
    ) { invocation, console in
        let plan = try plan(of: invocation)
        var options = Run.Options()
        options.log = console.log
        let run = Run(plan, options: options)
        Signals.listen { run.stop() }
        let report = await ProgressReporter(measure: { RunProgress.measure(run) }, console: console).during {
            await run.finished()
        }
        let sent = report.ledger.nodes.last?.passed ?? 0
        console.say(
            "\(Counted.text(Int(sent), "frame")) sent, in \(ProgressBar.duration(Double(report.duration) / 1e9))")
        for problem in RunVerdict.problems(of: report, failOnLoss: false) { problem.say(on: console) }
        return RunVerdict.code(of: report, failOnLoss: false)
    }

    private static func plan(of invocation: Invocation) throws -> Plan {
        let recording = try Recording(readingFrom: invocation.words[0])
        var file = FileSource.Options()
        file.path = FilePath(recording.path)
        file.format = .jsonl
        file.kind = recording.kind ?? .stroke
        file.rate = invocation[rate] ?? .times(1)
        file.pace = .arrival
        file.loop = invocation[loop]
        let source = try FileSource.make(file, BuildContext(id: "recording"))
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
                // Sessions that were recorded one behind the other begin anew.
                Plan.Node(
                    id: "recording", component: FileSource.manifest.name,
                    body: .source(source, Plan.SourceRules(onDisorder: .newEpoch)), output: source.output,
                    onError: .skip),
                Plan.Node(
                    id: "publisher", component: ZMQSink.manifest.name, body: .sink(sink), input: source.output,
                    edges: [Plan.Edge(from: 0)]),
            ])
    }
}
