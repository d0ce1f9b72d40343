import Connectors
import Pipeline
import PipelineComponents
import Stages

/// Distributes the observed frames and drops of a run to its viewers, and keeps them for a while.
///
/// While there are no viewers, nothing is observed. A node's frames are observed at the highest rate that any viewer requests, and
/// serialized once. Each viewer gets frames at its own rate; if several frames are waiting, it gets the newest ones.
// Used only in the server's thread.
final class LiveHub {
    let served: ServedRun
    private unowned let web: WebServer
    /// The indices in the plan of the nodes whose output is a result.
    private let results: Set<Int>
    private var clients: [Viewer] = []
    /// The remaining number of frames to observe at each node, by the node's index in the plan.
    private var budgets: [Int: FrameBudget] = [:]
    private var drops: FrameBudget
    private(set) var kept = KeptItems()
    /// The recent input of each source, by the source's index in the plan.
    private var inputs: [Int: KeptInputs] = [:]
    private var nextID = 1
    /// The number of the first frame or drop of this graph. Earlier results are kept, but were made by other stages.
    private let firstID: Int
    /// The number of results and drops for which messages were sent since the last call of `tellSkipped`.
    private var sent = Tally()
    /// The number of all results and drops at the last call of `tellSkipped`, according to the ledger; `nil` until the first call
    /// after a viewer has connected to a hub without viewers.
    private var ledgerTally: Tally?
    /// The time of the last call of `tellSkipped`, in milliseconds.
    private var lastTally: Int64 = 0
    private var hasEnded = false

    /// The maximum number of results of each node, and of drops, to send per second.
    private static var mostEvents: Double { 200 }

    private struct Tally {
        var results: Int64 = 0
        var drops: Int64 = 0
    }

    /// Creates a hub.
    ///
    /// - Parameter earlier: The hub of the graph before a reload. Its connections are ended: its viewers reconnect and get the new
    ///   graph. What it has kept stays available, and the numbers of frames and drops go on.
    init(_ served: ServedRun, _ web: WebServer, after earlier: LiveHub? = nil) {
        (self.served, self.web) = (served, web)
        if let earlier { (kept, nextID) = earlier.leave() }
        firstID = nextID
        results = Set(served.results)
        drops = FrameBudget(rate: Self.mostEvents, now: ServerClock.milliseconds)
    }

    /// The number of viewers.
    var count: Int { clients.count }

    func isWatchable(_ id: String) -> Bool { !served.shown(at: id).isEmpty }

    func wantsToWrite(_ client: Viewer) { web.wantsToWrite(client.id) }

    // MARK: Viewers

    func add(_ client: Viewer) -> Viewer {
        if clients.isEmpty { ledgerTally = nil }
        clients.append(client)
        client.welcome()
        requestsChanged()
        web.schedule(1000)
        return client
    }

    /// The members of the first message to a client.
    var hello: [(key: String, value: JSONValue)] {
        [
            ("op", .string("hello")), ("version", .integer(1)), ("time_ms", .count(ServerClock.milliseconds)),
            ("results", .array(results.sorted().map { .string(served.plan.nodes[$0].id) })),
            ("nodes", .array(served.plan.nodes.filter { isWatchable($0.id) }.map { .string($0.id) })),
            (
                "kept",
                .object([
                    ("seconds", .integer(KeptItems.mostSeconds)), ("bytes", .integer(KeptItems.mostBytes)),
                ])
            ),
        ]
    }

    func remove(_ client: Viewer) {
        clients.removeAll { $0 === client }
        requestsChanged()
    }

    /// Sets how many frames to observe at each node, according to the viewers' current requests.
    func requestsChanged() {
        let now = ServerClock.milliseconds
        let wantsEvents = clients.contains(where: \.wantsEvents)
        for (index, point) in served.points {
            let ids = names(of: index)
            var rate = wantsEvents && results.contains(index) ? Self.mostEvents : 0
            for client in clients { for id in ids { rate = max(rate, client.watched[id]?.rate ?? 0) } }
            budgets[index] = budgets[index] ?? FrameBudget(rate: rate, now: now)
            budgets[index]?.change(to: rate)
            if served.plan.nodes[index].edges.isEmpty { point.keep(!clients.isEmpty) }
            point.want(rate > 0 ? budgets[index]?.available(at: now) ?? 0 : 0)
        }
        served.watch.wantDrops(wantsEvents ? drops.available(at: now) : 0)
    }

    /// Returns the nodes whose frames appear at a node's output: the node itself, and the sinks that receive from it.
    private func names(of index: Int) -> [String] {
        let sinks = served.plan.nodes.filter {
            $0.output == nil && $0.edges.contains { $0.from == index && $0.port == .output }
        }
        return [served.plan.nodes[index].id] + sinks.map(\.id)
    }

    // MARK: Observations

    /// Sends new observations to the viewers.
    func collect() {
        let now = ServerClock.milliseconds
        for index in served.points.keys.sorted() {
            guard let frames = served.points[index]?.take(), !frames.isEmpty else { continue }
            budgets[index]?.spend(frames.count)
            // Frames that were observed before the last viewer left are discarded.
            guard !clients.isEmpty else { continue }
            let seen = frames.map { note($0, at: index, now) }
            for name in names(of: index) { distribute(seen, of: name, now) }
        }
        let dropped = served.watch.takeDrops()
        drops.spend(dropped.count)
        if !clients.isEmpty { for drop in dropped { note(drop, now) } }
        kept.forget(at: now)
        keepInputs(now)
    }

    private func keepInputs(_ now: Int64) {
        for (index, point) in served.points where served.plan.nodes[index].edges.isEmpty {
            let frames = point.takeKept()
            guard !frames.isEmpty || inputs[index] != nil else { continue }
            inputs[index, default: KeptInputs()].add(frames, at: now)
            inputs[index]?.forget(at: now)
        }
    }

    /// Returns a question about the newest kept result of this graph for which `isMeant` returns true; `nil` if there is none.
    func question(_ isMeant: (KeptResult) -> Bool) -> WhyQuestion? {
        collect()
        guard let result = kept.all.last(where: { $0.id >= firstID && $0.result.map(isMeant) ?? false })?.result
        else { return nil }
        return WhyQuestion(result, served.plan) { inputs[$0]?.all ?? [] }
    }

    private func note(_ frame: WatchedFrame, at index: Int, _ now: Int64) -> SeenFrame {
        defer { nextID += 1 }
        let node = served.plan.nodes[index].id
        let seen = SeenFrame(frame, id: nextID, time: now)
        var item = KeptItem(id: nextID, time: now, node: node, frame: seen.text(of: node))
        if results.contains(index) {
            item.event = seen.resultText(of: node)
            item.result = KeptResult(seen, node: index)
            sent.results += 1
            tell(item.event)
        }
        kept.add(item)
        return seen
    }

    private func note(_ drop: DropRecord, _ now: Int64) {
        defer { nextID += 1 }
        let event = SeenDrop(id: nextID, time: now, drop: drop).text
        sent.drops += drop.count
        tell(event)
        kept.add(KeptItem(id: nextID, time: now, node: nil, event: event))
    }

    private func tell(_ event: [UInt8]?) {
        guard let event else { return }
        let message = WebMessage(event)
        for client in clients where client.wantsEvents { client.send(message) }
    }

    /// Sends frames to the viewers of a node. Each viewer gets as many of the newest frames as its rate allows.
    private func distribute(_ seen: [SeenFrame], of node: String, _ now: Int64) {
        var written: [Int: WebMessage] = [:]
        for client in clients {
            let count = min(seen.count, client.watched[node]?.available(at: now) ?? 0)
            guard count > 0 else { continue }
            for one in seen.suffix(count) {
                for message in client.messages(of: one, at: node, &written) { client.send(message) }
            }
            client.watched[node]?.spend(count)
        }
    }

    // MARK: Periodic work

    /// Sends new observations and the state to the viewers. Returns the number of microseconds until the next call is due; `nil`
    /// if there are no viewers.
    func tick(_ report: () -> StateReport) -> Int64? {
        collect()
        guard !clients.isEmpty else { return nil }
        requestsChanged()
        let now = ServerClock.milliseconds
        if now - lastTally >= 1000 {
            lastTally = now
            tellSkipped(now)
        }
        sendState(report, to: clients.filter { $0.wantsState(at: now) }, now)
        for client in clients { client.tick(now) }
        if served.run.hasEnded, !hasEnded { end(report) }
        return 33_000
    }

    private func sendState(_ report: () -> StateReport, to clients: [Viewer], _ now: Int64) {
        guard !clients.isEmpty else { return }
        let message = WebMessage.json([("op", .string("state"))] + report().members)
        for client in clients { client.send(state: message, at: now) }
    }

    /// Sends the number of results and drops of the last second for which no message was sent.
    private func tellSkipped(_ now: Int64) {
        let ledger = served.run.ledger
        let ids = Set(results.map { served.plan.nodes[$0].id })
        let count = Tally(
            results: ledger.nodes.reduce(0) { $0 + (ids.contains($1.id) ? $1.emitted : 0) },
            drops: ledger.nodes.reduce(0) { $0 + $1.droppedTotal } + ledger.edges.reduce(0) { $0 + $1.droppedTotal })
        defer { (ledgerTally, sent) = (count, Tally()) }
        guard let ledgerTally else { return }
        let skipped = (count.results - ledgerTally.results - sent.results, count.drops - ledgerTally.drops - sent.drops)
        guard skipped.0 > 0 || skipped.1 > 0 else { return }
        let message = WebMessage.json([
            ("op", .string("skipped")), ("at_ms", .count(now)), ("results", .count(max(0, skipped.0))),
            ("drops", .count(max(0, skipped.1))),
        ])
        for client in clients where client.wantsEvents { client.send(message) }
    }

    /// Sends the final state to all viewers, and tells them that the run has ended.
    private func end(_ report: () -> StateReport) {
        hasEnded = true
        let now = ServerClock.milliseconds
        sendState(report, to: clients.filter { $0.wantsState(at: .max) }, now)
        for client in clients { client.runEnded() }
    }

    /// Ends the connections to all viewers. Returns what is kept, and the number of the next frame or drop.
    private func leave() -> (KeptItems, nextID: Int) {
        collect()
        for client in clients { client.end() }
        defer { (kept, inputs) = (KeptItems(), [:]) }
        return (kept, nextID)
    }

    /// Sends the final state to all viewers, and ends their connections.
    func close(_ report: () -> StateReport) {
        collect()
        if !hasEnded { end(report) }
        for client in clients { client.end() }
    }
}
