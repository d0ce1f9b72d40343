import Pipeline
import PipelineComponents
import Synchronization

/// Answers what a server is asked about a run.
// Belongs to the server's thread.
final class ServerDesk: WebHandler {
    private let served: ServedRun
    private unowned let web: WebServer
    private let rules: AccessRules
    private let stopped: StopSignal
    private let onReload: () -> (@Sendable () -> Void)?
    private var rates = RateMeter()
    private let hub: LiveHub
    /// Until when those who look may take what is left, in milliseconds; `nil` as long as the run is looked at.
    private var closingUntil: Int64?
    private let closing: StopSignal

    init(
        _ served: ServedRun, web: WebServer, rules: AccessRules, stopped: StopSignal, closing: StopSignal,
        onReload: @escaping () -> (@Sendable () -> Void)?
    ) {
        (self.served, self.web, self.rules) = (served, web, rules)
        (self.stopped, self.onReload) = (stopped, onReload)
        self.closing = closing
        hub = LiveHub(served, web)
    }

    func refusal(of request: WebRequest) -> WebResponse? { rules.refusal(of: request) }

    func answer(_ request: WebRequest, _ id: WebServer.RequestID) -> WebResponse? {
        switch (request.method, request.path) {
        case (.get, "/api/state"), (.head, "/api/state"): return .json(.object(report.members))
        case (.get, "/api/kept"), (.head, "/api/kept"): return kept(request)
        case (.get, "/api/why"): return why(request, id)
        case (.get, "/metrics"), (.head, "/metrics"):
            return WebResponse(type: MetricsText.type, Array(MetricsText(served).text.utf8))
        case (.get, "/healthz"), (.head, "/healthz"): return .text("ok")
        case (.get, "/readyz"), (.head, "/readyz"):
            let phase = served.run.phase
            return phase == .running ? .text("ready") : .text(phase.rawValue, status: 503)
        case (.post, "/api/stop"):
            if served.run.hasEnded { stopped.request() } else { served.run.stop() }
            return .json(.object([("stopping", .boolean(true))]), status: 202)
        case (.post, "/api/reload"):
            guard let reload = onReload() else {
                return .refusal(501, "server.no_reload", "this run does not read its configuration again")
            }
            reload()
            return .json(.object([("reloading", .boolean(true))]), status: 202)
        case (.get, _), (.head, _): return PageFile.at(request.path)?.response ?? notFound
        default:
            var refusal = WebResponse.refusal(405, "server.method", "that cannot be done here")
            refusal.headers = [("allow", request.path.hasPrefix("/api/") ? "GET, HEAD, POST" : "GET, HEAD")]
            return refusal
        }
    }

    private var notFound: WebResponse {
        .refusal(
            404, "server.no_such_page", "there is nothing here",
            help: "see /, /api/state, /metrics, /healthz and /readyz")
    }

    private var report: StateReport { StateReport(served: served, rates: rates, viewers: hub.count) }

    private func kept(_ request: WebRequest) -> WebResponse {
        guard let query = KeptQuery(request) else {
            return .refusal(400, "server.query", "id, from_ms, to_ms and limit are whole numbers")
        }
        return query.answer(from: hub.kept)
    }

    /// How many results are being run again.
    private let asking = Asking()

    private func why(_ request: WebRequest, _ id: WebServer.RequestID) -> WebResponse? {
        let (number, sequence) = (request.value("id").flatMap { Int($0) }, request.value("seq").flatMap { Int64($0) })
        let (node, stream) = (request.value("node"), request.value("stream"))
        guard number != nil || sequence != nil && stream != nil else {
            return .refusal(400, "server.query", "id is a result's number; or stream and seq say which is meant")
        }
        let question = hub.question { result in
            if let number { return result.id == number }
            return result.sequence == sequence && result.stream.name == stream
                && node.map { served.plan.nodes[result.node].id == $0 } ?? true
        }
        guard let question else {
            return .json(WhyAnswer.impossible(nil, served.plan, "that result is not kept, or it is none"))
        }
        if let problem = question.problem {
            return .json(WhyAnswer.impossible(question.result, served.plan, problem))
        }
        guard asking.begin() else {
            return .refusal(503, "server.busy", "others are asking why", help: "ask again in a moment")
        }
        Task { [web, asking] in
            web.answer(id, with: .json(await question.answer()))
            asking.end()
        }
        return nil
    }

    func socket(for request: WebRequest, _ id: WebServer.RequestID) -> (any WebSocketHandler)? {
        request.path == "/api/live" ? hub.add(id) : nil
    }

    func tick() -> Int64 {
        let now = WallClock.milliseconds
        let between: Int64 = hub.count > 0 ? 500 : 1000
        if now - (rates.last ?? 0) >= between { rates.add(served.run.ledger, at: now) }
        if let closingUntil {
            if hub.count == 0 || now >= closingUntil { web.stop() }
            return 10_000
        }
        return hub.tick { report } ?? 1_000_000
    }

    func woken() {
        if closing.isRequested, closingUntil == nil {
            closingUntil = WallClock.milliseconds + 1000
            rates.add(served.run.ledger, at: WallClock.milliseconds)
            hub.close { report }
            web.schedule(1000)
        }
        hub.collect()
    }
}

/// How many questions are being answered beside the server's thread: few at a time.
private final class Asking: Sendable {
    private let count = Lock(0)
    private static var most: Int { 4 }

    func begin() -> Bool {
        count.withLock { count in
            guard count < Self.most else { return false }
            count += 1
            return true
        }
    }

    func end() { count.withLock { $0 -= 1 } }
}
