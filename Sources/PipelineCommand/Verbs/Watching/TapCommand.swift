import Connectors
import Pipeline
import PipelineComponents
import PipelineServer

extension Command {
    private static let limit = Flag.integer("limit", in: 1...(.max), "Stops after N frames")
    private static let rate = Flag.positive("rate", placeholder: "N", "Shows at most N frames per second, up to 60")

    /// The format of frames.
    private enum TapFormat: String, CaseIterable { case jsonl, pretty }
    private static let tapFormat = Flag<TapFormat>.choice("format", default: .jsonl, "The format of frames")

    /// `pipectl tap URL NODE`.
    static let tap: Command = Command(
        "tap", "show frames of a served run",
        details: """
            Writes the frames that a node of a served run emits, or that a sink receives, as they arrive. If there are more than \
            --rate frames per second, only the newest are written; the run is never slowed down. The command ends when the run \
            ends, or on an interrupt.
            """,
        arguments: [WatchingFlags.url, Argument("NODE", "the id of a source, stage or sink")],
        flags: [limit.description, rate.description, tapFormat.description, WatchingFlags.token.description],
        examples: [
            Example("pipectl tap 127.0.0.1:7070 match --format=pretty", "Shows the results of a matcher"),
            Example("pipectl tap 127.0.0.1:7070 zmq --limit=1", "Shows one incoming frame"),
        ]
    ) { invocation, console in
        let client = try WatchingFlags.client(invocation)
        let stop = StopSignal()
        Signals.listen(console) { stop.request() }
        func connected() throws -> LiveFeed {
            let feed = try LiveFeed(client)
            try feed.send(.object([("op", .string("events")), ("on", .boolean(false))]))
            try feed.send(.object([("op", .string("state")), ("every_ms", .integer(0))]))
            try feed.send(
                .object([
                    ("op", .string("watch")), ("nodes", .array([.string(invocation.words[1])])),
                    ("rate", .number(min(60, max(0.1, invocation[rate] ?? 60)))),
                ]))
            return feed
        }
        let clock = SystemClock()
        var feed: LiveFeed?
        var shown = 0
        while !stop.isRequested, shown < invocation[limit] ?? .max {
            let bytes: [UInt8]?
            do {
                let current = try feed ?? connected()
                feed = current
                bytes = try current.next()
            } catch {
                // A reload that changes the graph ends the connections, but not the run.
                guard PipelineError(wrapping: error).code == "server.gone",
                    let phase = (try? client.document("/api/state"))?["phase"]?.string
                else { throw error }
                if phase == "ended" { break }
                feed = nil
                try? await clock.sleep(until: clock.now + 100_000_000)
                continue
            }
            guard let bytes, let message = FrameMessage(bytes) else { continue }
            if let notice = message.notice {
                let nodes = try client.document("/api/state")["nodes"]?.elements ?? []
                let names = nodes.compactMap { $0["id"]?.string }
                throw PipelineError(
                    .configuration, notice.code, notice.message.shown,
                    help: names.contains(invocation.words[1])
                        ? "sources and stages can be watched, but not stages inside each"
                        : suggestion(for: invocation.words[1], among: names, list: "nodes")?.shown
                            ?? "pipectl top \(invocation.words[0]) lists the nodes")
            }
            if message.op == "ended" { break }
            guard message.op == "frame" else { continue }
            shown += 1
            switch (invocation[tapFormat] ?? .jsonl, message.payload) {
            case (.pretty, _):
                try console.writeResult(
                    message.pretty(invocation.tool.registry.kinds) ?? (message.shown ?? "?").shown + "\n")
            case (.jsonl, let payload?): try console.print(String(decoding: payload, as: UTF8.self))
            case (.jsonl, nil): console.warning("a frame cannot be shown: \((message.shown ?? "").shown)")
            }
        }
        return .done
    }
}
