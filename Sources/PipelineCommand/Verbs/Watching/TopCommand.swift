import Connectors
import Pipeline
import PipelineServer

extension Command {
    private static let interval = Flag.positive(
        "interval", placeholder: "S", "Refreshes every S seconds, instead of every second")
    private static let count = Flag.integer("count", in: 1...(.max), "Stops after N refreshes")
    private static let sort = Flag<TopView.Order>.choice("sort", default: .graph, "The order of the nodes")

    /// `pipectl top URL`.
    static let top: Command = Command(
        "top", "show the state of a served run",
        details: """
            Shows for every node of a served run how many frames came in and went out in the last second, its processing time per \
            frame (the median, p50, and the 99th percentile, p99), how many frames wait before it, and how many were dropped, \
            lost and failed in total. Drops on purpose, for example by a filter, are not losses. On a terminal, the table is \
            refreshed; elsewhere, a line is written each time. The command ends when the run ends, or on an interrupt.
            """,
        arguments: [WatchingFlags.url],
        flags: [
            interval.description, count.description, sort.description, WatchingFlags.token.description,
            Flags.format.description,
        ],
        examples: [
            Example("pipectl top 127.0.0.1:7070", "Shows the state of the run that is served there"),
            Example("pipectl top 127.0.0.1:7070 --sort=drops", "Shows the nodes with the most drops first"),
            Example("pipectl top 127.0.0.1:7070 --count=1 --format=json", "Writes the state once, for a program"),
        ]
    ) { invocation, console in
        let client = try WatchingFlags.client(invocation)
        let stop = StopSignal()
        Signals.listen(console) { stop.request() }
        let clock = SystemClock()
        var asked = 0
        while !stop.isRequested {
            let body: [UInt8]
            do { body = try client.get("/api/state") } catch {
                // After the run has ended, nobody answers any more.
                let isOver = ["server.unreachable", "server.gone"].contains(PipelineError(wrapping: error).code)
                guard asked > 0, isOver else { throw error }
                break
            }
            let state = try client.document(in: body)
            guard state["phase"]?.string != nil else {
                throw PipelineError.environment(
                    "server.refused", "\(invocation.words[0]) does not answer with the state of a run",
                    help: "name the address that a run shows, as in pipectl run CONFIG --serve 127.0.0.1:7070")
            }
            let view = TopView(state)
            if invocation[Flags.format] == .json {
                try console.writeResult(String(decoding: body, as: UTF8.self))
            } else if console.resultsAreLive {
                // Redraw from the upper left corner.
                try console.writeResult(
                    "\u{1B}[H\u{1B}[2J" + view.table(invocation[sort] ?? .graph, console.resultStyle))
            } else {
                try console.print(view.line)
            }
            if view.hasEnded { break }
            asked += 1
            if asked == invocation[count] { break }
            let until = clock.now.addingSaturated(Int64(saturating: (invocation[interval] ?? 1) * 1e9))
            while clock.now < until, !stop.isRequested {
                try? await clock.sleep(until: min(until, clock.now + 100_000_000))
            }
        }
        return .done
    }
}
