import Pipeline
import PipelineConfiguration
import Synchronization

/// Lets browsers and other programs inspect a run while it is in progress: a web page, the state, metrics and frames.
///
/// ```swift
/// let server = try RunServer(plan, at: ServeOptions(address), identity: identity)
/// server.attach(to: &options)
/// let run = Run(plan, options: options)
/// server.serve(run)
/// let report = await run.finished()
/// await server.close()
/// ```
public final class RunServer: Sendable {
    private let identity: RunIdentity
    private let web: WebServer
    private let rules: AccessRules

    /// The URL of the server, with the actual port.
    public let address: String

    /// The observer that the served run must use.
    package let watch: RunWatch

    private let hook = Lock<(@Sendable () async -> ReloadAnswer)?>(nil)
    private let ending = Milestone()
    private let signals = ServerSignals()

    /// Called when a client requests a reload of the configuration. If this is `nil`, such requests are refused.
    public var onReload: (@Sendable () async -> ReloadAnswer)? {
        get { hook.withLock { $0 } }
        set { hook.withLock { $0 = newValue } }
    }

    /// Binds the address. Requests wait for a response until ``serve(_:)`` is called.
    ///
    /// - Throws: A configuration error if the options are invalid, or an environment error if the address cannot be bound.
    public init(_ plan: Plan, at options: ServeOptions, identity: RunIdentity) throws {
        guard let address = options.address else {
            throw PipelineError(.configuration, "serve.no_address", "there is no address to serve at")
        }
        if let problem = options.problem {
            throw PipelineError(.configuration, problem.code, problem.message, help: problem.help)
        }
        self.identity = identity
        let web = try WebServer(
            address: address.host, isIPv6: address.isIPv6, port: address.port, subprotocols: [FoxgloveViewer.name])
        self.web = web
        rules = AccessRules(options, address: address, port: web.port)
        self.address = "http://" + (address.isIPv6 ? "[\(address.host)]" : address.host) + ":\(web.port)/"
        watch = RunWatch(nodes: plan.producers) { web.wake() }
    }

    /// Prepares the options of a run so that it can be served.
    public func attach(to options: inout Run.Options) { options.watch = watch }

    /// Starts to respond to requests, on the server's own thread.
    ///
    /// - Parameter run: The run to serve. Its options must have been passed to ``attach(to:)``.
    public func serve(_ run: Run) {
        let handler = RunRequestHandler(
            ServedRun(run, run.plan, watch, identity), web: web, rules: rules, signals: signals,
            onReload: { [weak self] in self?.onReload })
        web.start(handler) { [ending] in ending.reach() }
    }

    /// Announces that a reload has changed the graph of the run. Viewers reconnect and get the new graph.
    public func graphChanged() {
        signals.graphChanged.store(true, ordering: .releasing)
        web.wake()
    }

    /// Serves a finished run over a recording instead of a run in progress. That run must have used ``watch``.
    package func show(_ recorded: RecordedRun) {
        let handler = RecordingRequestHandler(
            recorded, ServedRun(recorded.run, recorded.plan, watch, identity), web: web, rules: rules, signals: signals)
        web.start(handler) { [ending] in ending.reach() }
    }

    /// Waits until a client requests a stop after the run has ended, or until a stop is requested through `signal`.
    public func untilStopped(or signal: StopSignal) async {
        let either = Milestone()
        signals.stopped.onRequest { either.reach() }
        signal.onRequest { either.reach() }
        await either.wait()
    }

    /// Tells all viewers that the run has ended, waits at most one second for them to receive the message, and stops the server.
    ///
    /// Call ``serve(_:)`` first. Without it, this method never returns.
    public func close() async {
        signals.closing.request()
        web.wake()
        await ending.wait()
    }
}
