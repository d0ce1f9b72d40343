/// Turns a plan into tasks connected by edges.
///
/// Consecutive stages form one segment. An edge between tasks is created only where the graph needs one: for example after a
/// source, at a fan-out or a merge, where the configuration sets a policy, after a node's error output, before and after an
/// asynchronous stage, and before a sink that may block. See ``Plan/hop(into:edge:)`` for all cases. Types are checked here once,
/// so that no frame is cast during the run.
final class Assembly {
    let plan: Plan
    let monitor: RunMonitor
    var tasks: [any RunTask] = []
    private(set) var metrics: [NodeMetrics]
    /// The counters of the aligned inputs, by node.
    var alignments: [Int: AlignmentMetrics] = [:]
    /// The counters of nested chains, by the node that runs the chain.
    var chains: [Int: ChainAccount] = [:]
    private(set) var progress: [(id: String, Progress)] = []
    var fused: [(from: String, to: String)] = []
    private var edgeReports: [() -> Ledger.Edge] = []
    private var edgeWaits: [Histogram] = []
    /// The objects that watch links. Links retain nothing, so these objects are retained here during the run.
    private var watched: [AnyObject] = []

    private let limit: Int64?
    /// The number of threads that a source may use for reading.
    private let readers: Int
    let serviceTimes: [String: Int64]
    /// Whether every watermark is a separate item, so that frames imply no watermark. This is the case in a live run, if any edge
    /// has slots, and if all results of a frame must be complete before the next frame is given.
    let isExplicit: Bool
    let lineage: Lineage
    /// For each node, whether it or a node downstream merges or joins edges by the ranks of the sources' items. Only in a batch run
    /// in which frames imply watermarks.
    private let leadsToJoin: [Bool]
    /// The times of each source's streams, in a live run.
    var liveTimes: [Int: LiveTime] = [:]
    /// For each node, the consumers of its output: the node, and the index in that node's `edges`.
    private var consumers: [[(node: Int, edge: Int)]]
    private var errorConsumers: [[(node: Int, edge: Int)]]
    var edges: [[Edge?]]
    private var taps: [Int: [Tap]] = [:]
    private let hasSeveralReaders: Bool
    /// The waker of each node's task.
    private var wakers: [Waker?]

    /// A reader outside the run that reads the output of a node.
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
        // A tape itself contains the watermarks of its run.
        if plan.mode == .live, monitor.tape?.isReplay != true, let timer = monitor.timer {
            for (index, node) in plan.nodes.enumerated() where node.edges.isEmpty {
                liveTimes[index] = LiveTime(
                    of: (index, node.id), clock: monitor.clock, timer: timer, latenessMs: plan.latenessMs)
            }
        }
        for index in plan.nodes.indices where isHead(index) { try makeEdges(into: index) }
        for index in plan.nodes.indices where isHead(index) { try makeTask(index) }
        // The taps have their edges now. A reader retains its run, which retains this object, so keeping the taps would create a
        // retain cycle.
        self.taps = self.taps.mapValues { _ in [] }
    }

    /// The accounts of all edges.
    var edgeLedgers: [Ledger.Edge] { edgeReports.map { $0() } }

    /// The measurements that are not part of the ledger.
    var measures: RunMeasures {
        let all = metrics.enumerated().flatMap { index, metrics in [metrics] + (chains[index]?.metrics ?? []) }
        return RunMeasures(
            nodes: all.map {
                .init(id: $0.id, service: $0.service, age: $0.ages.now, sockets: $0.counts.sockets)
            }, waits: edgeWaits.map(\.now))
    }

    // MARK: Shape

    /// Returns whether a node starts its own task, and is not called directly by the previous node.
    private func isHead(_ index: Int) -> Bool {
        plan.nodes[index].edges.isEmpty || plan.hop(into: index, edge: 0) { taps[$0] != nil } == .queue
    }

    private func upstream(_ index: Int) -> Int { plan.nodes[index].edges.first?.from ?? index }

    /// Returns the only consumer of a node's output if it is called directly; otherwise `nil`.
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

    /// Creates the outlet of a node whose output leaves its task.
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
            // A reader may start only after another reader has read everything that it needs.
            if hasSeveralReaders { edge.beginUnread() }
            tap.receive(edge)
            typed.append(edge)
        }
        // In a live run, a result does not wait for other frames of the same batch, because a stage may take long.
        let isPrompt = plan.mode == .live && plan.nodes[index].body.role != .source
        return EdgeOutlet(
            carrying: P.self, edges: typed, signal: signal, isExplicit: isExplicit, isPrompt: isPrompt)
    }

    /// Returns a link on which the output of a node can be watched, if a watch is requested.
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

    /// Creates the node of a sink that the previous node calls directly.
    func fuse(_ sink: any Sink, _ index: Int, behind: Int) -> (any AnyOutlet, AnyLink) {
        fused.append((plan.nodes[behind].id, plan.nodes[index].id))
        return makeSinkNode(sink, index)
    }

    /// A snapshot of the tasks' activity.
    var pulse: RunPulse {
        let beats = plan.nodes.indices.filter(isHead).compactMap { index in
            wakers[index]?.beat(of: metrics[index])
        }
        return RunPulse(beats: beats, isTimed: monitor.timer?.isWaiting ?? false)
    }

    /// Returns the names of the sources upstream of a node.
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
