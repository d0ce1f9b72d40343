import Synchronization

/// A pipeline that is built in Swift: sources, stages, and sinks, connected by typed handles.
///
/// ```swift
/// let graph = Graph()
/// let strokes = graph.source(drawn)
/// let vectors = strokes.through(Resample(points: 16)).through(Normalize()).through(Vectorize())
/// strokes.into(recorder)
/// for try await frame in vectors { print(frame.payload.values) }
/// print(try await graph.report().isSuccess)
/// ```
///
/// The nodes behave like the nodes of a configuration: neighboring stages call each other directly, every stream has its own stage
/// instances, and the ledger accounts for each frame. A graph runs only once. Mistakes in the graph are thrown when it is run.
public final class Graph: Sendable {
    fileprivate struct State {
        var plan: Plan
        /// For each source added here, what happens to frames that arrive while the pipeline is busy.
        var busy: [Int: Busy] = [:]
        /// The nodes without an explicit error policy. The mode determines their policy.
        var openPolicies: [Int] = []
        var problem: PipelineError?
        var run: Run?
    }

    private let state: Lock<State>
    private let options: Run.Options

    /// Creates an empty graph.
    ///
    /// - Parameters:
    ///   - name: The name of the pipeline.
    ///   - options: The options of the run.
    public convenience init(name: String = "pipeline", options: Run.Options = Run.Options()) {
        self.init(Plan(name: name, nodes: []), options: options)
    }

    /// Creates a graph from a plan, for example from the plan of a configuration. Access its nodes with ``flow(of:as:)``.
    public init(_ plan: Plan, options: Run.Options = Run.Options()) {
        state = Lock(State(plan: plan))
        self.options = options
    }

    // MARK: Sources

    /// Adds a sequence of frames.
    ///
    /// - Parameters:
    ///   - frames: The frames. The timestamps of each stream must increase.
    ///   - rules: The rules that the timestamps must follow.
    ///   - busy: What happens to a frame that arrives while the pipeline is busy. Any value except `.wait` makes the pipeline live.
    ///   - id: The source's name in the ledger.
    public func source<Frames: AsyncSequence, Output: Payload>(
        _ frames: sending Frames, rules: SourceRules = SourceRules(), busy: Busy = .wait, id: String = "source"
    ) -> Flow<Output> where Frames.Element == Frame<Output> {
        source(SequenceSource(frames, timing: busy.timing), rules: rules, busy: busy, id: id)
    }

    /// Adds a sequence of payloads without timestamps.
    ///
    /// - Parameters:
    ///   - payloads: The payloads.
    ///   - stream: The stream that they belong to.
    ///   - times: The timestamps of the payloads.
    ///   - rules: The rules that the timestamps must follow.
    ///   - busy: What happens to a payload that arrives while the pipeline is busy. Any value except `.wait` makes the pipeline
    ///     live.
    ///   - id: The source's name in the ledger.
    public func source<Payloads: AsyncSequence>(
        _ payloads: sending Payloads, stream: StreamID = "", times: PayloadTimes, rules: SourceRules = SourceRules(),
        busy: Busy = .wait, id: String = "source"
    ) -> Flow<Payloads.Element> where Payloads.Element: Payload {
        let source = SequenceSource(payloads, stream: stream, times: times, timing: busy.timing)
        return self.source(source, rules: rules, busy: busy, id: id)
    }

    /// Adds a source.
    ///
    /// - Parameters:
    ///   - source: The source.
    ///   - rules: The rules that its timestamps must follow.
    ///   - busy: What happens to a frame that arrives while the pipeline is busy. Any value except `.wait` makes the pipeline live.
    ///   - id: The source's name in the ledger.
    public func source<S: Source>(
        _ source: S, rules: SourceRules = SourceRules(), busy: Busy = .wait, id: String = "source"
    ) -> Flow<S.Output> {
        let node = add(
            Plan.Node(id: id, component: "source", body: .source(source, rules), output: source.output), onError: nil)
        state.withLock { state in
            state.busy[node] = busy
            if busy.mode == .live { state.plan.mode = .live }
        }
        return Flow(graph: self, node: node)
    }

    // MARK: Joins

    /// Merges flows. The frames of each stream are ordered by timestamp.
    public func merge<Output: Payload>(
        _ first: Flow<Output>, _ others: Flow<Output>..., id: String = "merge"
    ) -> Flow<Output> {
        stage(PassingStage<Output>(), behind: [first] + others, id: id, component: "merge")
    }

    /// Joins flows. The stage receives sets of frames with up to one frame from each flow; the stage's ``Alignment`` decides which
    /// frames form a set.
    public func combine<S: AlignedStage>(
        _ first: Flow<S.Element>, _ others: Flow<S.Element>..., with stage: S, id: String? = nil,
        onError: ErrorPolicy? = nil
    ) -> Flow<S.Output> {
        let component = Self.name(of: S.self)
        return self.stage(
            stage, behind: [first] + others, id: id ?? component, component: component, onError: onError)
    }

    // MARK: Nodes of a plan

    /// Returns the output of a source or stage of the plan.
    ///
    /// - Throws: A configuration error if there is no such node, or if it emits another payload type.
    public func flow<Output: Payload>(of id: String, as payload: Output.Type = Output.self) throws -> Flow<Output> {
        Flow(graph: self, node: try state.withLock { try $0.plan.node(id, making: Output.self) })
    }

    // MARK: Running

    /// Returns the plan that a run of the graph would use now.
    ///
    /// - Throws: A configuration error that describes what is wrong with the graph.
    public func plan() throws -> Plan { try state.withLock { try $0.checked() } }

    /// Returns the only run of this graph. Nothing can be added to the graph afterwards.
    ///
    /// - Throws: A configuration error that describes what is wrong with the graph.
    public func run() throws -> Run {
        try state.withLock { state in
            if let problem = state.problem { throw problem }
            if let run = state.run { return run }
            let run = Run(try state.checked(), options: options)
            state.run = run
            return run
        }
    }

    /// Runs the graph if it is not already running, waits for its end, and returns the report with the ledger.
    ///
    /// If results are being read, this returns only after they have been read to the end.
    public func report() async throws -> RunReport { try await run().finished() }

    // MARK: Adding nodes

    func stage<S: Stage, P: Payload>(
        _ stage: S, behind flows: [Flow<P>], id: String, component: String, onError: ErrorPolicy? = nil,
        edge: EdgePolicy? = nil
    ) -> Flow<S.Output> {
        let node = add(.stage(stage), behind: flows, id: id, component: component, onError: onError, edge: edge) {
            stage.output(for: $0)
        }
        return Flow(graph: self, node: node)
    }

    /// Sets the number of workers that share the streams of a stage.
    func share(_ node: Int, among workers: Int) {
        state.withLock { state in
            state.noteIfRunning(state.plan.nodes[node].id)
            state.plan.nodes[node].workers = workers
            guard !(1...256).contains(workers) else { return }
            state.note(
                PipelineError(
                    .configuration, "graph.worker_count",
                    "\(state.plan.nodes[node].id) has \(workers) workers, but must have 1 to 256",
                    help: "give it as many as the machine has cores, or fewer"))
        }
    }

    /// Adds a stage after a node that emits the stage's input.
    func append<S: Stage>(_ stage: S, behind node: Int) -> Int {
        let component = Self.name(of: S.self)
        return self.stage(stage, behind: [Flow<S.Input>(graph: self, node: node)], id: component, component: component)
            .node
    }

    func stage<S: AsyncStage>(
        _ stage: S, behind flow: Flow<S.Input>, id: String, onError: ErrorPolicy?, edge: EdgePolicy?
    ) -> Flow<S.Output> {
        let node = add(
            .asyncStage(stage), behind: [flow], id: id, component: Self.name(of: S.self), onError: onError, edge: edge
        ) { stage.output(for: $0) }
        return Flow(graph: self, node: node)
    }

    func sink<S: Sink>(
        _ sink: S, behind flow: Flow<S.Input>, id: String, onError: ErrorPolicy?, edge: EdgePolicy?
    ) {
        _ = add(
            .sink(sink), behind: [flow], id: id, component: Self.name(of: S.self), onError: onError, edge: edge
        ) { _ in nil }
    }

    /// Makes a node route its errors, and returns the frames that it could not process.
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
        return Flow(graph: self, node: add(errors, onError: nil))
    }

    /// Returns the edges from flows to the next node, and the port type of their frames.
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

    /// Adds a node that receives the frames of `flows`. The function `output` returns the port type of the node's output, given
    /// the port type of its input.
    private func add<P: Payload>(
        _ body: Plan.Body, behind flows: [Flow<P>], id: String, component: String, onError: ErrorPolicy?,
        edge: EdgePolicy?, output: (PortType) -> PortType?
    ) -> Int {
        let (input, edges) = join(flows, toSink: body.role == .sink, edge)
        let node = Plan.Node(
            id: id, component: component, body: body, input: input, output: output(input), edges: edges,
            onError: onError ?? .fail)
        return add(node, onError: onError)
    }

    /// - Parameter onError: The node's error policy; `nil` if the mode determines it.
    private func add(_ node: Plan.Node, onError: ErrorPolicy?) -> Int {
        state.withLock { state in
            var node = node
            state.noteIfRunning(node.id)
            if node.id.hasSuffix(".errors"), node.edges.first?.port != .errors {
                state.note(
                    PipelineError(
                        .configuration, "graph.reserved_id", "\(node.id) cannot be an id: error outputs are called so",
                        help: "use an id that does not end in .errors"))
            }
            node.id = state.plan.freeID(like: node.id)
            state.plan.nodes.append(node)
            if onError == nil { state.openPolicies.append(state.plan.nodes.count - 1) }
            return state.plan.nodes.count - 1
        }
    }

    /// Returns the name of a component: its name in configurations or, if it has none, the name of its type.
    static func name(of component: Any.Type) -> String {
        (component as? any NamedComponent.Type)?.componentName ?? String(describing: component)
    }
}

extension Graph.State {
    fileprivate mutating func note(_ problem: PipelineError) { self.problem = self.problem ?? problem }

    /// Notes that a node was added or changed too late, if the graph already runs.
    fileprivate mutating func noteIfRunning(_ id: String) {
        guard run != nil else { return }
        note(
            PipelineError(
                .configuration, "graph.running", "\(id) was added to a graph that runs already",
                help: "add everything to the graph before you request results or the report"))
    }

    /// Returns the plan after setting the policies that depend on its mode.
    fileprivate func checked() throws -> Plan {
        if let problem { throw problem }
        try plan.check()
        var plan = plan
        for index in openPolicies { plan.nodes[index].onError = plan.mode == .live ? .skip : .fail }
        for node in plan.nodes.indices where plan.mode == .batch {
            for edge in plan.nodes[node].edges.indices where !plan.nodes[node].edges[edge].isExplicit {
                plan.nodes[node].edges[edge].policy = .standard(.batch)
            }
        }
        guard plan.mode == .live else { return plan }
        let written = plan
        plan.letSinkEdgesDrop { node, place, dropping in
            written.nodes[node].edges[place].isExplicit ? nil : dropping
        }
        return plan
    }
}

extension Busy {
    fileprivate var timing: SourceTiming { mode == .live ? .live : .recorded }
}

/// A stage that forwards every frame. It turns the frames of several edges into the output of one node.
private struct PassingStage<Passing: Payload>: Stage {
    mutating func process(
        _ payload: borrowing Passing, _ header: borrowing Header, into emitter: borrowing Emitter<Passing>
    ) { emitter.emit(payload) }
}
