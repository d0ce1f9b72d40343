import Pipeline
import PipelineConfiguration
import Synchronization

/// Lets a run be looked into while it goes on: a web page, its state, its metrics, its frames.
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
    private let plan: Plan
    private let identity: RunIdentity
    private let web: WebServer
    private let rules: AccessRules

    /// Where it is served, with the port that was taken.
    public let address: String

    /// What a run is given that is to be looked into.
    package let watch: RunWatch

    private let hook = Lock<(@Sendable () -> Void)?>(nil)
    private let ending = Ending()
    private let signals = ServerSignals()

    /// Called when somebody asks for the configuration to be read again; without it such requests are refused.
    public var onReload: (@Sendable () -> Void)? {
        get { hook.withLock { $0 } }
        set { hook.withLock { $0 = newValue } }
    }

    /// Takes the address; nothing is answered before ``serve(_:)``.
    ///
    /// - Throws: A configuration error for options that are refused, an environment error when the address cannot be taken.
    public init(_ plan: Plan, at options: ServeOptions, identity: RunIdentity) throws {
        guard let address = options.address else {
            throw PipelineError(.configuration, "serve.no_address", "there is no address to serve at")
        }
        if let problem = options.problem {
            throw PipelineError(.configuration, problem.code, problem.message, help: problem.help)
        }
        (self.plan, self.identity) = (plan, identity)
        let web = try WebServer(
            address: address.host, isIPv6: address.isIPv6, port: address.port, subprotocols: [FoxgloveViewer.name])
        self.web = web
        rules = AccessRules(options, address: address, port: web.port)
        self.address = "http://" + (address.isIPv6 ? "[\(address.host)]" : address.host) + ":\(web.port)/"
        watch = RunWatch(nodes: plan.producers) { web.wake() }
    }

    /// Lets a run with these options be looked into.
    public func attach(to options: inout Run.Options) { options.watch = watch }

    /// Begins to answer.
    ///
    /// - Parameter run: The run to look into. ``attach(to:)`` was called for its options.
    public func serve(_ run: Run) {
        let desk = ServerDesk(
            ServedRun(run, plan, watch, identity), web: web, rules: rules, signals: signals,
            onReload: { [weak self] in self?.onReload })
        web.start(desk) { [ending] in ending.reach() }
    }

    /// Shows a recording in the place of a run that goes on. It must have been made with ``watch``.
    package func show(_ recorded: RecordedRun) {
        let desk = RecordingDesk(
            recorded, ServedRun(recorded.run, recorded.plan, watch, identity), web: web, rules: rules, signals: signals)
        web.start(desk) { [ending] in ending.reach() }
    }

    /// Waits until somebody asks it to stop though the run is over, or until a signal comes.
    public func untilStopped(or signal: StopSignal) async {
        let either = Ending()
        signals.stopped.onRequest { either.reach() }
        signal.onRequest { either.reach() }
        await either.wait()
    }

    /// Tells whoever looks that the run is over, and ends.
    public func close() async {
        signals.closing.request()
        web.wake()
        await ending.wait()
    }
}

/// Something that happens once, and who waits for it.
private final class Ending: Sendable {
    private let state = Lock<(isReached: Bool, waiters: [CheckedContinuation<Void, Never>])>((false, []))

    func reach() {
        let waiters = state.withLock { state in
            state.isReached = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isReached = state.withLock { state in
                if !state.isReached { state.waiters.append(continuation) }
                return state.isReached
            }
            if isReached { continuation.resume() }
        }
    }
}
