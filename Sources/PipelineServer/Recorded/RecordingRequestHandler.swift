import Connectors
import Pipeline
import PipelineComponents

/// Responds to requests about a recording.
// Used only in the server's thread.
final class RecordingRequestHandler: WebHandler {
    private let recorded: RecordedRun
    private let served: ServedRun
    private unowned let web: WebServer
    private let rules: AccessRules
    private let signals: ServerSignals
    private let why = WhyRequestHandler()

    init(
        _ recorded: RecordedRun, _ served: ServedRun, web: WebServer, rules: AccessRules, signals: ServerSignals
    ) {
        (self.recorded, self.served, self.web, self.rules) = (recorded, served, web, rules)
        self.signals = signals
    }

    func refusal(of request: WebRequest) -> WebResponse? { rules.refusal(of: request) }

    func answer(_ request: WebRequest, _ id: WebRequestID) -> WebResponse? {
        switch (request.route, request.path) {
        case (.get, "/api/state"): return .json(.object(state))
        case (.get, "/api/kept"):
            let query = KeptQuery(request, emitters: served.emitters(at:))
            return query?.answer(from: recorded.items) ?? .wrongQuery
        case (.get, "/api/why"):
            return why.answer(request, id, served.plan, web) { recorded.question($0) }
        case (.get, "/metrics"):
            return WebResponse(type: MetricsText.type, Array(MetricsText(served).text.utf8))
        case (.get, "/healthz"): return .text("ok")
        case (.get, "/readyz"): return .text("ready")
        case (.post, "/api/stop"):
            signals.stopped.request()
            return .json(.object([("stopping", .boolean(true))]), status: 202)
        default: return .page(request, actions: ["/api/stop"])
        }
    }

    private var state: [(key: String, value: JSONValue)] {
        let length = recorded.items.last?.time ?? 0
        return StateReport(served: served, rates: RateMeter(), viewers: 0, isRecording: true).members + [
            (
                "recording",
                .object([
                    ("from_ms", .integer(0)), ("to_ms", .count(length + 1)), ("whole", .boolean(recorded.isWhole)),
                    ("results", .array(served.results.map { .string(served.plan.nodes[$0].id) })),
                ])
            )
        ]
    }

    func socket(for request: WebRequest, _ id: WebRequestID) -> (any WebSocketHandler)? { nil }

    func tick() -> Int64 { 1_000_000 }

    func woken() { if signals.closing.isRequested { web.stop() } }
}
