import Pipeline
import PipelineComponents
import Synchronization

/// Responds to requests about a run in progress.
// Used only in the server's thread.
final class RunRequestHandler: WebHandler {
    private var served: ServedRun
    private unowned let web: WebServer
    private let rules: AccessRules
    private let signals: ServerSignals
    private let onReload: () -> (@Sendable () async -> ReloadAnswer)?
    private var rates = RateMeter()
    private var hub: LiveHub
    /// The hubs of earlier graphs, which are kept while they have viewers.
    private var leaving: [LiveHub] = []
    private let why = WhyRequestHandler()
    /// The time of the last request, in milliseconds.
    private var lastRequest: Int64 = 0
    /// The time, in milliseconds, at which the server stops even if viewers are still connected; `nil` until the server is
    /// closing.
    private var closingUntil: Int64?

    init(
        _ served: ServedRun, web: WebServer, rules: AccessRules, signals: ServerSignals,
        onReload: @escaping () -> (@Sendable () async -> ReloadAnswer)?
    ) {
        (self.served, self.web, self.rules) = (served, web, rules)
        (self.signals, self.onReload) = (signals, onReload)
        hub = LiveHub(served, web)
    }

    func refusal(of request: WebRequest) -> WebResponse? { rules.refusal(of: request) }

    func answer(_ request: WebRequest, _ id: WebRequestID) -> WebResponse? {
        noteRequest()
        switch (request.route, request.path) {
        case (.get, "/api/state"): return .json(.object(report.members))
        case (.get, "/api/kept"):
            let query = KeptQuery(request, emitters: served.emitters(at:))
            return query?.answer(from: hub.kept.all, bytes: hub.kept.bytes) ?? .wrongQuery
        case (.get, "/api/why"): return why.answer(request, id, served.plan, web) { hub.question($0) }
        case (.get, "/metrics"):
            return WebResponse(type: MetricsText.type, Array(MetricsText(served).text.utf8))
        case (.get, "/healthz"): return .text("ok")
        case (.get, "/readyz"):
            let phase = served.run.phase
            return phase == .running ? .text("ready") : .text(phase.rawValue, status: 503)
        case (.post, "/api/stop"):
            if served.run.hasEnded { signals.stopped.request() } else { served.run.stop() }
            return .json(.object([("stopping", .boolean(true))]), status: 202)
        case (.post, "/api/reload"):
            guard let reload = onReload() else {
                return .refusal(501, "server.no_reload", "this run does not support reloads of its configuration")
            }
            Task { [web] in web.answer(id, with: await reload().response) }
            return nil
        default: return .page(request, actions: ["/api/stop", "/api/reload"])
        }
    }

    /// Records that a request has arrived. If the server was not in use, also samples the ledger, so that the response has rates
    /// up to now, and schedules the next sample in one second.
    private func noteRequest() {
        let now = ServerClock.milliseconds
        if !isInUse(at: now) {
            rates.add(served.run.ledger, at: now)
            web.schedule(1_000_000)
        }
        lastRequest = now
    }

    /// Returns whether the server has viewers, or had a request in the last minute. If it is in use, the ledger is sampled at
    /// least every second; otherwise every ten seconds.
    private func isInUse(at now: Int64) -> Bool { hub.count > 0 || now - lastRequest < 60_000 }

    private var report: StateReport { StateReport(served: served, rates: rates, viewers: hub.count) }

    func socket(for request: WebRequest, _ id: WebRequestID) -> (any WebSocketHandler)? {
        if request.protocols.contains(FoxgloveViewer.name) { return hub.add(FoxgloveViewer(id, hub)) }
        return request.path == "/api/live" ? hub.add(LiveClient(id, hub)) : nil
    }

    func tick() -> Int64 {
        let now = ServerClock.milliseconds
        let between: Int64 = hub.count > 0 ? 500 : isInUse(at: now) ? 1000 : 10_000
        if now - (rates.last ?? 0) >= between { rates.add(served.run.ledger, at: now) }
        if let closingUntil {
            if hub.count == 0 || now >= closingUntil { web.stop() }
            return 10_000
        }
        return hub.tick { report } ?? (isInUse(at: now) ? 1_000_000 : 10_000_000)
    }

    func woken() {
        if signals.closing.isRequested, closingUntil == nil {
            closingUntil = ServerClock.milliseconds + 1000
            rates.add(served.run.ledger, at: ServerClock.milliseconds)
            hub.close { report }
            web.schedule(1000)
        }
        if signals.graphChanged.exchange(false, ordering: .acquiring) { showGraph() }
        hub.collect()
    }

    /// Replaces the hub by one for the new graph, and ends the connections of all viewers. They reconnect and get the new graph.
    private func showGraph() {
        leaving.removeAll { $0.count == 0 }
        leaving.append(hub)
        served = ServedRun(served.run, served.run.plan, served.watch, served.identity, started: served.started)
        hub = LiveHub(served, web, after: hub)
        rates = RateMeter()
        rates.add(served.run.ledger, at: ServerClock.milliseconds)
    }
}
