/// Turns a plan into tasks joined by edges.
///
/// Neighboring stages become one segment; an edge between tasks is made only where the graph needs one: behind a source,
/// at a fan-out or a merge, where the configuration gave a policy, behind a node's error output, on either side of an
/// asynchronous stage, and before a sink that may block. Types are checked here once, so that no frame is cast while running.
final class Assembly {
    let plan: Plan
    let monitor: RunMonitor
    var tasks: [any RunTask] = []
    private(set) var metrics: [NodeMetrics]
    /// What the aligned inputs count, by node.
    var alignments: [Int: AlignmentMetrics] = [:]
    /// What the stages of nested chains count, by the node that runs them.
    var chains: [Int: ChainAccount] = [:]
    private(set) var progress: [(id: String, Progress)] = []
    var fused: [(from: String, to: String)] = []
    private var edgeReports: [() -> Ledger.Edge] = []
    private var edgeWaits: [Histogram] = []
    /// Links hold nothing: what looks at frames on their way is held here, as long as the run.
    private var watched: [AnyObject] = []

    private let limit: Int64?
    /// On how many threads a source may read.
    private let readers: Int
    let serviceTimes: [String: Int64]
    /// Whether frames imply nothing of the time of their stream: in a live run, wherever an edge has slots, and where each
    /// frame must have gone all the way before the next comes.
    let isExplicit: Bool
    let lineage: Lineage
    /// For each node, whether it or a node behind it brings edges together by what the sources brought: in a batch run whose
    /// frames imply the time of their stream.
    private let leadsToJoin: [Bool]
    /// The time of each source's streams, in a live run.
    var liveTimes: [Int: LiveTime] = [:]
    /// For each node: who takes from its output, as (node, place in that node's `edges`).
    private var consumers: [[(node: Int, edge: Int)]]
    private var errorConsumers: [[(node: Int, edge: Int)]]
    var edges: [[Edge?]]
    private var taps: [Int: [Tap]] = [:]
    private let hasSeveralReaders: Bool
    /// The waker of the task that a node belongs to.
    private var wakers: [Waker?]

    /// Somebody outside the run who reads what a node makes.
    struct Tap {
        let node: Int
        let waker: Waker
        let receive: (Edge) -> Void
    }

    init(
        _ plan: Plan, monitor: RunMonitor, limit: Int64?, workers: Int, taps: [Tap],
        serviceTimes: [String: Int64] = [:],
        bindsEveryFrame: Bool = false
    ) throws {
        self.serviceTimes = serviceTimes
        hasSeveralReaders = taps.count > 1
        isExplicit =
            bindsEveryFrame || plan.mode == .live
            || plan.nodes.contains { $0.edges.contains { $0.policy.inFlight != nil } }
        lineage = Lineage(plan)
        leadsToJoin = isExplicit ? plan.nodes.map { _ in false } : lineage.leadsToJoin
        self.plan = plan
        self.monitor = monitor
        self.limit = limit
        readers = workers
        metrics = plan.nodes.map { NodeMetrics(id: $0.id) }
        consumers = plan.nodes.map { _ in [] }
        errorConsumers = plan.nodes.map { _ in [] }
        edges = plan.nodes.map { $0.edges.map { _ in nil } }
        wakers = plan.nodes.map { _ in nil }
        for tap in taps { self.taps[tap.node, default: []].append(tap) }
        for (index, node) in plan.nodes.enumerated() {
            for (place, edge) in node.edges.enumerated() {
                switch edge.port {
                case .output: consumers[edge.from].append((index, place))
                case .errors: errorConsumers[edge.from].append((index, place))
                }
            }
        }
        for index in plan.nodes.indices {
            wakers[index] = isHead(index) ? monitor.makeWaker(of: plan.nodes[index].id) : wakers[upstream(index)]
        }
        // A tape says itself when time has passed.
        if plan.mode == .live, monitor.tape?.isReplay != true, let timer = monitor.timer {
            for (index, node) in plan.nodes.enumerated() where node.edges.isEmpty {
                liveTimes[index] = LiveTime(
                    of: (index, node.id), clock: monitor.clock, timer: timer, latenessMs: plan.latenessMs)
            }
        }
        for index in plan.nodes.indices where isHead(index) { try makeEdges(into: index) }
        for index in plan.nodes.indices where isHead(index) { try makeTask(index) }
        // They have their edges now. A reader holds its run, which holds this: the two would keep each other alive.
        self.taps = self.taps.mapValues { _ in [] }
    }

    /// What every edge has counted.
    var edgeLedgers: [Ledger.Edge] { edgeReports.map { $0() } }

    /// What was measured beside that.
    var measures: RunMeasures {
        let all = metrics.enumerated().flatMap { index, metrics in [metrics] + (chains[index]?.metrics ?? []) }
        return RunMeasures(
            nodes: all.map {
                .init(id: $0.id, service: $0.service, age: $0.ages.now, sockets: $0.counts.sockets)
            }, waits: edgeWaits.map(\.now))
    }

    // MARK: Shape

    /// Whether a node begins a task of its own instead of being called directly by the node above it.
    private func isHead(_ index: Int) -> Bool {
        plan.nodes[index].edges.isEmpty || plan.hop(into: index, edge: 0) { taps[$0] != nil } == .queue
    }

    private func upstream(_ index: Int) -> Int { plan.nodes[index].edges.first?.from ?? index }

    /// The one node that takes a node's output by a direct call, if there is one.
    func directConsumer(_ index: Int) -> Int? {
        guard consumers[index].count == 1, taps[index] == nil, let next = consumers[index].first, !isHead(next.node)
        else {
            return nil
        }
        return next.node
    }

    // MARK: Edges

    private func makeEdges(into index: Int) throws {
        for (place, edge) in plan.nodes[index].edges.enumerated() {
            let payload: any Payload.Type =
                edge.port == .errors ? FailedFrame.self : plan.nodes[edge.from].output?.payload ?? FailedFrame.self
            edges[index][place] = makeEdge(payload, edge, from: edge.from, to: index, place)
        }
    }

    private func makeEdge<P: Payload>(
        _ payload: P.Type, _ edge: Plan.Edge, from: Int, to: Int, _ place: Int
    ) -> Edge? {
        guard let producer = wakers[from], let consumer = wakers[to] else { return nil }
        let fromID = plan.nodes[from].id + (edge.port == .errors ? ".errors" : "")
        let toID = plan.nodes[to].id
        var isSink = false
        if case .sink = plan.nodes[to].body { isSink = true }
        let made = Edge(
            carrying: P.self, name: "\(fromID) → \(toID)",
            policy: monitor.tape?.isReplay == true ? EdgePolicy() : edge.policy,
            wantsBounds: isExplicit || !isSink || plan.nodes[to].edges.count > 1, wantsProgress: leadsToJoin[to],
            marksWait: !isExplicit,
            numbering: monitor.tape == nil
                ? nil : (UInt32(clamping: place), UInt32(clamping: plan.nodes[to].edges.count)),
            producer: producer, consumer: consumer, monitor: monitor)
        edgeReports.append { made.report(from: fromID, to: toID) }
        edgeWaits.append(made.latency)
        return made
    }

    /// The outlet of a node whose output leaves its task.
    func makeOutlet<P: Payload>(_ index: Int, _ port: Plan.Port, as payload: P.Type, _ signal: OutletSignal)
        throws -> EdgeOutlet
    {
        let list = port == .output ? consumers[index] : errorConsumers[index]
        var typed = try list.map { consumer in
            guard let edge = edges[consumer.node][consumer.edge], edge.carries(P.self) else {
                throw PipelineError.mistypedEdge(plan.nodes[index].id)
            }
            return edge
        }
        for tap in port == .output ? taps[index] ?? [] : [] {
            guard let producer = wakers[index] else { continue }
            let id = plan.nodes[index].id
            let edge = Edge(
                carrying: P.self, name: "\(id) → results", policy: EdgePolicy(), wantsBounds: isExplicit,
                isConsumedOutside: true, producer: producer, consumer: tap.waker, monitor: monitor)
            if lineage.isBehindSlots[index] { monitor.noteReaders() }
            edgeReports.append { edge.report(from: id, to: "results") }
            edgeWaits.append(edge.latency)
            // One reader of several may come only when another has read all it wants.
            if hasSeveralReaders { edge.beginUnread() }
            tap.receive(edge)
            typed.append(edge)
        }
        // Live, a result does not wait for what else was taken in one batch with its frame: a stage may take its time.
        let isPrompt = plan.mode == .live && plan.nodes[index].body.role != .source
        return EdgeOutlet(
            carrying: P.self, edges: typed, signal: signal, isExplicit: isExplicit, isPrompt: isPrompt)
    }

    /// Lets whoever looks into the run see what a node puts out here.
    func watched<P: Payload>(_ link: AnyLink, of index: Int, as payload: P.Type) -> AnyLink {
        guard let point = monitor.watch?.points[index], link.carries(P.self) else { return link }
        guard plan.nodes[index].edges.isEmpty else {
            let made = WatchedLink<P>(link, point)
            watched.append(made)
            return AnyLink(made)
        }
        let made = WatchedOrigin<P>(link, point)
        watched.append(made)
        return AnyLink(made)
    }

    func makeErrorOutlet(_ index: Int, _ signal: OutletSignal) throws -> EdgeOutlet? {
        guard plan.nodes[index].onError == .route, !errorConsumers[index].isEmpty else { return nil }
        return try makeOutlet(index, .errors, as: FailedFrame.self, signal)
    }

    // MARK: Tasks

    private func makeTask(_ index: Int) throws {
        guard let waker = wakers[index] else { return }
        switch plan.nodes[index].body {
        case .source(let source, let rules): try makeSourceTask(source, rules, index, waker)
        case .stage(let stage): try makeSegment(stage, index, waker)
        case .asyncStage(let stage): try makeAsyncStageTask(stage, index, waker)
        case .sink(let sink): try makeSinkTask(sink, index, waker)
        }
    }

    private func makeSourceTask<S: Source>(_ source: S, _ rules: SourceRules, _ index: Int, _ waker: Waker) throws {
        var outlets: [any AnyOutlet] = []
        let signal = OutletSignal()
        let errors = try makeErrorOutlet(index, signal)
        if let errors { outlets.append(errors) }
        let link: AnyLink
        if let next = directConsumer(index), case .sink(let sink) = plan.nodes[next].body {
            let (node, end) = fuse(sink, next, behind: index)
            outlets.append(node)
            link = end
        } else {
            let outlet = try makeOutlet(index, .output, as: S.Output.self, signal)
            outlets.append(outlet)
            link = outlet.link
        }
        guard link.carries(S.Output.self) else { throw PipelineError.mistypedEdge(plan.nodes[index].id) }
        let node = plan.nodes[index]
        let reading = Progress()
        progress.append((node.id, reading))
        let task = SourceTask(
            source, next: watched(link, of: index, as: S.Output.self), outlets: outlets, signal: signal,
            errors: errors.map(ErrorEnd.init), rules: rules,
            context: SourceContext(
                id: node.id, clock: monitor.clock, stop: monitor.stop, progress: reading,
                log: monitor.log.about(node.id),
                counts: metrics[index].counts, maxStreams: plan.maxStreams, workers: readers),
            metrics: metrics[index], policy: node.onError, monitor: monitor, waker: waker,
            executor: source.mayBlock ? ThreadExecutor() : nil, limit: limit, isLive: isExplicit,
            idleMs: plan.streamIdleMs,
            liveTime: liveTimes[index], onLate: plan.onLate)
        tasks.append(task)
        if let called = source as? any CalledSource { connect(called, task) }
        liveTimes[index]?.connect(
            (consumers[index] + errorConsumers[index]).compactMap { edges[$0.node][$0.edge] })
    }

    private func connect<S: CalledSource>(_ source: S, _ task: any RunTask) {
        guard let task = task as? SourceTask<S> else { return }
        source.connect { task.take(given: $0) }
    }

    private func makeSinkTask<S: Sink>(_ sink: S, _ index: Int, _ waker: Waker) throws {
        let node = plan.nodes[index]
        tasks.append(
            SinkTask(
                name: node.id,
                node: SinkNode(
                    sink, metrics: metrics[index], policy: node.onError, monitor: monitor, maxStreams: plan.maxStreams,
                    sources: sources(of: index)),
                input: try input(index, of: S.Input.self, waker, delivers: true),
                executor: sink.mayBlock ? ThreadExecutor() : nil,
                metrics: metrics[index], monitor: monitor, serviceTime: serviceTimes[node.id] ?? 0))
    }

    private func makeAsyncStageTask<S: AsyncStage>(_ stage: S, _ index: Int, _ waker: Waker) throws {
        let signal = OutletSignal()
        let errors = try makeErrorOutlet(index, signal)
        let outlet = try makeOutlet(index, .output, as: S.Output.self, signal)
        var outlets: [any AnyOutlet] = errors.map { [$0] } ?? []
        outlets.append(outlet)
        let node = plan.nodes[index]
        tasks.append(
            AsyncStageTask(
                stage, name: node.id, input: try input(index, of: S.Input.self, waker),
                next: watched(outlet.link, of: index, as: S.Output.self),
                errors: errors.map(ErrorEnd.init), outlets: outlets, metrics: metrics[index], policy: node.onError,
                monitor: monitor, waker: waker, isLive: plan.mode == .live, isExplicit: isExplicit,
                serviceTime: serviceTimes[node.id] ?? 0))
    }

    /// A sink that is called directly by the node before it.
    func fuse(_ sink: any Sink, _ index: Int, behind: Int) -> (any AnyOutlet, AnyLink) {
        fused.append((plan.nodes[behind].id, plan.nodes[index].id))
        return makeSinkNode(sink, index)
    }

    /// Where the tasks stand.
    var pulse: RunPulse {
        let beats = plan.nodes.indices.filter(isHead).compactMap { index in
            wakers[index]?.beat(of: metrics[index])
        }
        return RunPulse(beats: beats, isTimed: monitor.timer?.isWaiting ?? false)
    }

    /// The names of the sources that a node stands behind.
    private func sources(of index: Int) -> [String] { lineage.sources[index].sorted().map { plan.nodes[$0].id } }

    private func makeSinkNode<S: Sink>(_ sink: S, _ index: Int) -> (any AnyOutlet, AnyLink) {
        let place = plan.nodes[index]
        let node = SinkNode(
            sink, metrics: metrics[index], policy: place.onError, monitor: monitor, maxStreams: plan.maxStreams,
            sources: sources(of: index))
        tasks.append(FusedSinkTask(name: place.id, node: node))
        return (node, node.link)
    }
}
