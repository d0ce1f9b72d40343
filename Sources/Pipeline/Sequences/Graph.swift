import Synchronization

/// A pipeline put together in Swift: sources, stages and sinks, joined by typed handles.
///
/// ```swift
/// let graph = Graph()
/// let strokes = graph.source(drawn)
/// let vectors = strokes.through(Resample(points: 16)).through(Normalize()).through(Vectorize())
/// strokes.into(recorder)
/// for try await frame in vectors { print(frame.payload.values) }
/// print(await graph.report().isSuccess)
/// ```
///
/// The nodes are those of a configuration: neighboring stages are fused, every stream has instances of its own, and each
/// frame is accounted for in the ledger. A graph is run once. What is wrong with it is thrown when it is run.
public final class Graph: Sendable {
    fileprivate struct State {
        var plan: Plan
        /// How frames that find the pipeline busy are treated, for each source added here.
        var busy: [Int: Busy] = [:]
        /// The nodes whose error policy was left to the mode.
        var openPolicies: [Int] = []
        var problem: PipelineError?
        var run: Run?
        var readers = 0
    }

    private let state: Lock<State>
    private let options: Run.Options

    /// An empty graph.
    ///
    /// - Parameters:
    ///   - name: The name of the pipeline.
    ///   - options: How it is run.
    public convenience init(name: String = "pipeline", options: Run.Options = Run.Options()) {
        self.init(Plan(name: name, nodes: []), options: options)
    }

    /// The graph of a plan, as a configuration describes it. Take hold of its nodes with ``flow(of:as:)``.
    public init(_ plan: Plan, options: Run.Options = Run.Options()) {
        state = Lock(State(plan: plan))
        self.options = options
    }

    // MARK: Sources

    /// Adds a sequence of frames.
    ///
    /// - Parameters:
    ///   - frames: The frames; timestamps of one stream increase.
    ///   - busy: What happens to a frame that arrives while the pipeline is busy. Anything but `.wait` makes it a live one.
    ///   - id: Its name in the ledger.
    public func source<Frames: AsyncSequence, Output: Payload>(
        _ frames: sending Frames, busy: Busy = .wait, id: String = "source"
    ) -> Flow<Output> where Frames.Element == Frame<Output> {
        source(SequenceSource(frames, timing: busy.timing), busy: busy, id: id)
    }

    /// Adds a sequence of payloads that come without a time.
    ///
    /// - Parameters:
    ///   - payloads: The payloads.
    ///   - stream: The stream that they belong to.
    ///   - times: Which timestamps they get.
    ///   - busy: What happens to one that arrives while the pipeline is busy. Anything but `.wait` makes it a live one.
    ///   - id: Its name in the ledger.
    public func source<Payloads: AsyncSequence>(
        _ payloads: sending Payloads, stream: StreamID = "", times: PayloadTimes, busy: Busy = .wait,
        id: String = "source"
    ) -> Flow<Payloads.Element> where Payloads.Element: Payload {
        source(SequenceSource(payloads, stream: stream, times: times, timing: busy.timing), busy: busy, id: id)
    }

    /// Adds a source.
    ///
    /// - Parameters:
    ///   - source: Brings the frames.
    ///   - rules: What its timestamps must keep to.
    ///   - busy: What happens to a frame that arrives while the pipeline is busy. Anything but `.wait` makes it a live one.
    ///   - id: Its name in the ledger.
    public func source<S: Source>(
        _ source: S, rules: SourceRules = SourceRules(), busy: Busy = .wait, id: String = "source"
    ) -> Flow<S.Output> {
        let node = add(
            Plan.Node(id: id, component: "source", body: .source(source, rules), output: source.output), .modeDecides)
        state.withLock { state in
            state.busy[node] = busy
            if busy.mode == .live { state.plan.mode = .live }
        }
        return Flow(graph: self, node: node)
    }

    // MARK: Joins

    /// Merges flows: the frames of each stream in the order of their timestamps.
    public func merge<Output: Payload>(
        _ first: Flow<Output>, _ others: Flow<Output>..., id: String = "merge"
    ) -> Flow<Output> {
        stage(PassingStage<Output>(), behind: [first] + others, id: id, component: "merge")
    }

    /// Joins flows: the stage gets one set of frames, one from each flow, for every time.
    public func combine<S: AlignedStage>(
        _ first: Flow<S.Element>, _ others: Flow<S.Element>..., with stage: S, id: String? = nil,
        onError: ErrorPolicy? = nil
    ) -> Flow<S.Output> {
        let component = Self.name(of: S.self)
        return self.stage(
            stage, behind: [first] + others, id: id ?? component, component: component, onError: onError)
    }

    // MARK: Nodes of a plan

    /// What a source or stage of the plan makes.
    ///
    /// - Throws: A configuration error when there is no such node, or it makes something else.
    public func flow<Output: Payload>(of id: String, as payload: Output.Type = Output.self) throws -> Flow<Output> {
        Flow(graph: self, node: try state.withLock { try $0.plan.node(id, making: Output.self) })
    }

    // MARK: Running

    /// The pipeline as it stands: what runs.
    ///
    /// - Throws: A configuration error that says what is wrong with it.
    public func plan() throws -> Plan { try state.withLock { try $0.checked() } }

    /// The one run of this graph. Nothing can be added to the graph from now on.
    ///
    /// - Throws: A configuration error that says what is wrong with the graph.
    public func run() throws -> Run {
        try state.withLock { state in
            if let run = state.run { return run }
            let run = Run(try state.checked(), options: options)
            state.run = run
            return run
        }
    }

    /// Runs to the end, unless it runs already, and gives the report with the ledger.
    ///
    /// Results that somebody reads must be read to their end meanwhile.
    public func report() async throws -> RunReport { try await run().finished() }

    /// Notes that somebody reads results.
    func readerBegan() { state.withLock { $0.readers += 1 } }

    /// Notes that somebody reads no more. When nobody is left for whom frames could be made, the sources stop.
    func readerEnded() {
        let run = state.withLock { state -> Run? in
            state.readers -= 1
            let hasSinks = state.plan.nodes.contains { $0.body.role == .sink }
            return state.readers == 0 && !hasSinks ? state.run : nil
        }
        if let run, !run.hasEnded { run.stop() }
    }

    // MARK: Adding nodes

    func stage<S: Stage, P: Payload>(
        _ stage: S, behind flows: [Flow<P>], id: String, component: String, onError: ErrorPolicy? = nil,
        edge: EdgePolicy? = nil
    ) -> Flow<S.Output> {
        let (input, edges) = join(flows, toSink: false, edge)
        let node = Plan.Node(
            id: id, component: component, body: .stage(stage), input: input, output: stage.output(for: input),
            edges: edges, onError: onError ?? .fail)
        return Flow(graph: self, node: add(node, onError == nil ? .modeDecides : .given))
    }

    /// Lets workers share the streams of a stage.
    func share(_ node: Int, among workers: Int) {
        state.withLock { state in
            state.plan.nodes[node].workers = workers
            guard !(1...256).contains(workers) else { return }
            state.note(
                PipelineError(
                    .configuration, "graph.worker_count",
                    "\(state.plan.nodes[node].id) was given \(workers) workers, and there can be 1 to 256",
                    help: "give it as many as the machine has cores, or fewer"))
        }
    }

    /// Adds a stage behind a node that makes what it takes.
    func append<S: Stage>(_ stage: S, behind node: Int) -> Int {
        let component = Self.name(of: S.self)
        return self.stage(stage, behind: [Flow<S.Input>(graph: self, node: node)], id: component, component: component)
            .node
    }

    func stage<S: AsyncStage>(
        _ stage: S, behind flow: Flow<S.Input>, id: String, onError: ErrorPolicy?, edge: EdgePolicy?
    ) -> Flow<S.Output> {
        let (input, edges) = join([flow], toSink: false, edge)
        let node = Plan.Node(
            id: id, component: Self.name(of: S.self), body: .asyncStage(stage), input: input,
            output: stage.output(for: input), edges: edges, onError: onError ?? .fail)
        return Flow(graph: self, node: add(node, onError == nil ? .modeDecides : .given))
    }

    func sink<S: Sink>(
        _ sink: S, behind flow: Flow<S.Input>, id: String, onError: ErrorPolicy?, edge: EdgePolicy?
    ) {
        let (input, edges) = join([flow], toSink: true, edge)
        let node = Plan.Node(
            id: id, component: Self.name(of: S.self), body: .sink(sink), input: input, edges: edges,
            onError: onError ?? .fail)
        _ = add(node, onError == nil ? .modeDecides : .given)
    }

    /// What a node could not process.
    func errors(of node: Int) -> Flow<FailedFrame> {
        let id = state.withLock { state in
            state.openPolicies.removeAll { $0 == node }
            state.plan.nodes[node].onError = .route
            return state.plan.nodes[node].id
        }
        let type = PortType(FailedFrame.self)
        let errors = Plan.Node(
            id: "\(id).errors", component: "errors", body: .stage(PassingStage<FailedFrame>()), input: type,
            output: type,
            edges: [Plan.Edge(from: node, port: .errors)])
        return Flow(graph: self, node: add(errors, .modeDecides))
    }

    /// The edges that lead from flows into the next node, and the type of what they bring.
    private func join<P: Payload>(
        _ flows: [Flow<P>], toSink: Bool, _ policy: EdgePolicy?
    ) -> (PortType, [Plan.Edge]) {
        state.withLock { state in
            if flows.contains(where: { $0.graph !== self }) {
                state.note(
                    PipelineError(
                        .configuration, "graph.two_graphs", "flows of two graphs cannot be joined",
                        help: "add all sources to one Graph with source(_:)"))
                return (PortType(P.self), [])
            }
            let edges = flows.map { flow in
                let busy = state.busy[flow.node] ?? .wait
                return Plan.Edge(
                    from: flow.node,
                    policy: policy ?? busy.policy(toSink: toSink, P.continuity),
                    isExplicit: policy != nil || busy != .wait)
            }
            return (flows.first.flatMap { state.plan.nodes[$0.node].output } ?? PortType(P.self), edges)
        }
    }

    private enum Policy { case given, modeDecides }

    private func add(_ node: Plan.Node, _ policy: Policy) -> Int {
        state.withLock { state in
            var node = node
            if state.run != nil {
                state.note(
                    PipelineError(
                        .configuration, "graph.running", "\(node.id) was added to a graph that runs already",
                        help: "add all stages before results are read"))
            }
            node.id = state.plan.freeID(like: node.id)
            state.plan.nodes.append(node)
            if policy == .modeDecides { state.openPolicies.append(state.plan.nodes.count - 1) }
            return state.plan.nodes.count - 1
        }
    }

    /// The name of a component as configurations know it, or else that of its type.
    static func name(of component: Any.Type) -> String {
        (component as? any NamedComponent.Type)?.componentName ?? String(describing: component)
    }
}

extension Graph.State {
    fileprivate mutating func note(_ problem: PipelineError) { self.problem = self.problem ?? problem }

    /// The plan, with all that depends on its mode.
    fileprivate func checked() throws -> Plan {
        if let problem { throw problem }
        var plan = plan
        for index in openPolicies { plan.nodes[index].onError = plan.mode == .live ? .skip : .fail }
        guard plan.mode == .live else { return plan }
        let written = plan
        plan.keepSinksApart { node, place, dropping in
            written.nodes[node].edges[place].isExplicit ? nil : dropping
        }
        return plan
    }
}

extension Busy {
    fileprivate var timing: SourceTiming { mode == .live ? .live : .recorded }
}

/// Passes on every frame: what several edges bring becomes the output of one node.
private struct PassingStage<Passing: Payload>: Stage {
    mutating func process(
        _ payload: consuming Passing, _ header: borrowing Header, into emitter: borrowing Emitter<Passing>
    ) { emitter.emit(payload) }
}
