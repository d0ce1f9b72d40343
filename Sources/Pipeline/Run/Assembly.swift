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
    var fused: [Ledger.Call] = []
    /// The accounts of what reloads have removed.
    private(set) var past = PastLedger()
    private var edgeReports: [(key: AssemblyParts.EdgeKey?, report: () -> Ledger.Edge)] = []
    private var edgeWaits: [Histogram] = []
    /// The objects that watch links. Links retain nothing, so these objects are retained here during the run.
    private var watched: [AnyObject] = []

    /// The parts by the `id`s of their nodes.
    var parts = AssemblyParts()
    /// What continues from the assembly before, if the run is reloaded.
    private(set) var before: Continuation?
    /// The sinks and asynchronous stages that continue, and are open already.
    private(set) var continued: Set<String> = []
    /// What lets the parts continue; called once, while the run is frozen.
    private var adoptions: [() -> Void] = []

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
        bindsEveryFrame: Bool = false, continuing before: Continuation? = nil
    ) throws {
        self.before = before
        self.serviceTimes = serviceTimes
        hasSeveralReaders = taps.count > 1
        isExplicit = plan.isExplicit(bindsEveryFrame: bindsEveryFrame)
        lineage = Lineage(plan)
        leadsToJoin = isExplicit ? plan.nodes.map { _ in false } : lineage.leadsToJoin
        self.plan = plan
        self.monitor = monitor
        self.limit = limit
        readers = workers
        metrics = plan.nodes.map { before?.parts.metrics[$0.id] ?? NodeMetrics(id: $0.id) }
        parts.metrics = before?.parts.metrics ?? [:]
        for (node, metrics) in zip(plan.nodes, metrics) { parts.metrics[node.id] = metrics }
        var next = (before?.parts.numbers.values.max() ?? -1) + 1
        for node in plan.nodes {
            let isNew = node.edges.isEmpty && !(before?.kept.contains(node.id) ?? false)
            parts.numbers[node.id] = isNew ? nil : before?.parts.numbers[node.id]
            if parts.numbers[node.id] == nil {
                parts.numbers[node.id] = next
                next += 1
            }
        }
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
            let id = plan.nodes[index].id
            guard isHead(index) else {
                wakers[index] = wakers[upstream(index)]
                continue
            }
            // A source that was changed runs beside the one that ends.
            let known = node(index, isKept: plan.nodes[index].edges.isEmpty) ? before?.parts.wakers[id] : nil
            wakers[index] = known ?? monitor.makeWaker(of: id)
            parts.wakers[id] = wakers[index]
        }
        // A tape itself contains the watermarks of its run.
        if plan.mode == .live, monitor.tape?.isReplay != true, let timer = monitor.timer {
            for (index, node) in plan.nodes.enumerated() where node.edges.isEmpty {
                let known = isKept(index) ? before?.parts.liveTimes[node.id] : nil
                let time =
                    known
                    ?? LiveTime(
                        of: (number(of: index), node.id), clock: monitor.clock, timer: timer,
                        latenessMs: plan.latenessMs)
                liveTimes[index] = time
                parts.liveTimes[node.id] = time
            }
        }
        for index in plan.nodes.indices where isHead(index) { try makeEdges(into: index) }
        for index in plan.nodes.indices where isHead(index) { try makeTask(index) }
        // The taps have their edges now. A reader retains its run, which retains this object, so keeping the taps would create a
        // retain cycle.
        self.taps = self.taps.mapValues { _ in [] }
    }

    /// The accounts of all edges.
    var edgeLedgers: [Ledger.Edge] { edgeReports.map { $0.report() } }

    /// The accounts of the edges between nodes.
    var edgeAccounts: [(AssemblyParts.EdgeKey, Ledger.Edge)] {
        edgeReports.compactMap { entry in entry.key.map { ($0, entry.report()) } }
    }

    /// The measurements that are not part of the ledger.
    var measures: RunMeasures {
        let all = metrics.enumerated().flatMap { index, metrics in [metrics] + (chains[index]?.metrics ?? []) }
        return RunMeasures(
            nodes: all.map {
                .init(id: $0.id, service: $0.service, age: $0.ages.now, sockets: $0.counts.sockets)
            }, waits: edgeWaits.map(\.now))
    }

    // MARK: Reload

    /// Whether a node continues from the assembly before.
    func isKept(_ index: Int) -> Bool { before?.kept.contains(plan.nodes[index].id) ?? false }

    private func node(_ index: Int, isKept mustBeKept: Bool) -> Bool { !mustBeKept || isKept(index) }

    /// The number of a node that stays the same while the run lasts.
    func number(of index: Int) -> Int { parts.numbers[plan.nodes[index].id] ?? 0 }

    /// Notes that a node calls another one directly.
    func noteCall(_ from: Int, _ to: Int) {
        let (place, emitted) = (fused.count, metrics[from])
        fused.append(Ledger.Call(from: plan.nodes[from].id, to: plan.nodes[to].id))
        if before != nil {
            onAdoption { [unowned self] in fused[place].emittedBefore = emitted.sum { $0.emitted.value } }
        }
    }

    /// Calls `body` when the parts continue, while the run is frozen.
    func onAdoption(_ body: @escaping () -> Void) { adoptions.append(body) }

    /// Lets all parts continue. The run must be frozen.
    func adopt() {
        if let before { past = PastLedger(of: before.assembly, replacedBy: self) }
        for body in adoptions { body() }
        adoptions = []
        // The assembly before it would retain the one before that, and so on.
        before = nil
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
        let key = edgeKey(edge, to: to, place)
        let wantsBounds = isExplicit || !isSink || plan.nodes[to].edges.count > 1
        if let known = before?.parts.edges[key], !plan.nodes[from].edges.isEmpty || isKept(from),
            known.policy == edge.policy,
            known.edge.carries(P.self), known.edge.wantsBounds == wantsBounds,
            known.edge.wantsProgress == leadsToJoin[to]
        {
            onAdoption { known.edge.connect(producer: producer, consumer: consumer) }
            note(known, key, fromID, toID, from: from)
            return known.edge
        }
        let made = Edge(
            carrying: P.self, name: "\(fromID) → \(toID)",
            policy: monitor.tape?.isReplay == true ? EdgePolicy() : edge.policy,
            wantsBounds: wantsBounds, wantsProgress: leadsToJoin[to], marksWait: !isExplicit,
            numbering: monitor.tape == nil
                ? nil : (UInt32(clamping: place), UInt32(clamping: plan.nodes[to].edges.count)),
            producer: producer, consumer: consumer, monitor: monitor)
        note(AssemblyParts.EdgeEntry(edge: made, policy: edge.policy), key, fromID, toID, from: from)
        return made
    }

    /// The identity of an edge.
    func edgeKey(_ edge: Plan.Edge, to: Int, _ place: Int) -> AssemblyParts.EdgeKey {
        let number = plan.nodes[to].edges[..<place].count { $0.from == edge.from && $0.port == edge.port }
        return AssemblyParts.EdgeKey(
            from: plan.nodes[edge.from].id, port: edge.port, to: plan.nodes[to].id, number: number)
    }

    private func note(
        _ entry: AssemblyParts.EdgeEntry, _ key: AssemblyParts.EdgeKey, _ fromID: String, _ toID: String, from: Int
    ) {
        let (edge, emitted) = (entry.edge, metrics[from])
        parts.edges[key] = entry
        if let before, before.parts.edges[key]?.edge !== edge {
            // Counted from where the run is frozen.
            onAdoption { [unowned self] in parts.edges[key]?.emittedBefore = emitted.sum { $0.emitted.value } }
        }
        edgeReports.append(
            (
                key,
                { [unowned self] in
                    var report = edge.report(from: fromID, to: toID)
                    report.emittedBefore = parts.edges[key]?.emittedBefore ?? 0
                    return report
                }
            ))
        edgeWaits.append(edge.latency)
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
            edgeReports.append((nil, { edge.report(from: id, to: "results") }))
            edgeWaits.append(edge.latency)
            // A reader may start only after another reader has read everything that it needs.
            if hasSeveralReaders { edge.beginUnread() }
            tap.receive(edge)
            typed.append(edge)
        }
        // In a live run, a result does not wait for other frames of the same batch, because a stage may take long.
        let isPrompt = plan.mode == .live && plan.nodes[index].body.role != .source
        let outlet = EdgeOutlet(
            carrying: P.self, edges: typed, signal: signal, isExplicit: isExplicit, isPrompt: isPrompt)
        let key = AssemblyParts.OutletKey(node: plan.nodes[index].id, port: port)
        if let known = before?.parts.outlets[key] { onAdoption { outlet.adopt(known) } }
        parts.outlets[key] = outlet
        return outlet
    }

    /// Returns a link on which the output of a node can be watched, if a watch is requested.
    func watched<P: Payload>(_ link: AnyLink, of index: Int, as payload: P.Type) -> AnyLink {
        guard let point = watchPoint(of: index), link.carries(P.self) else { return link }
        guard plan.nodes[index].edges.isEmpty else {
            let made = WatchedLink<P>(link, point)
            watched.append(made)
            return AnyLink(made)
        }
        let made = WatchedOrigin<P>(link, point)
        watched.append(made)
        return AnyLink(made)
    }

    /// Where the output of a node can be watched, if a watch is requested.
    func watchPoint(of index: Int) -> WatchPoint? { monitor.watch?.point(of: plan.nodes[index].id) }

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
        let route = SourceRoute(
            next: watched(link, of: index, as: S.Output.self), outlets: outlets, signal: signal,
            errors: errors.map(ErrorEnd.init))
        let reading = before?.parts.progress[node.id] ?? Progress()
        progress.append((node.id, reading))
        parts.progress[node.id] = reading
        let announced = (consumers[index] + errorConsumers[index]).compactMap { edges[$0.node][$0.edge] }
        let liveTime = liveTimes[index]
        if isKept(index), let known = before?.parts.sources[node.id] {
            tasks.append(known)
            parts.sources[node.id] = known
            return onAdoption {
                known.follow(route)
                liveTime?.connect(announced)
            }
        }
        liveTime?.connect(announced)
        let stop = StopSignal()
        monitor.stop.onRequest { [weak stop] in stop?.request() }
        var context = SourceContext(
            id: node.id, clock: monitor.clock, stop: stop, progress: reading, log: monitor.log.about(node.id),
            counts: metrics[index].counts, maxStreams: plan.maxStreams, workers: readers)
        context.ending = monitor.ending
        let task = SourceTask(
            source, route: route, rules: rules, context: context,
            metrics: metrics[index], policy: node.onError, monitor: monitor, waker: waker,
            executor: source.mayBlock ? ThreadExecutor() : nil, limit: limit, isLive: isExplicit,
            idleMs: plan.streamIdleMs,
            liveTime: liveTime, onLate: plan.onLate)
        tasks.append(task)
        parts.sources[node.id] = task
        if let called = source as? any CalledSource { connect(called, task) }
    }

    private func connect<S: CalledSource>(_ source: S, _ task: any RunTask) {
        guard let task = task as? SourceTask<S> else { return }
        source.connect { task.take(given: $0) }
    }

    private func makeSinkTask<S: Sink>(_ sink: S, _ index: Int, _ waker: Waker) throws {
        let node = plan.nodes[index]
        let known = isKept(index) ? before?.parts.tasks[node.id] as? SinkTask<S> : nil
        let task = SinkTask(
            name: node.id, node: sinkNode(sink, index),
            input: try input(index, of: S.Input.self, waker, delivers: true),
            executor: sink.mayBlock ? ThreadExecutor() : nil,
            metrics: metrics[index], monitor: monitor, serviceTime: serviceTimes[node.id] ?? 0)
        if let known { onAdoption { task.times = known.times } }
        tasks.append(task)
        parts.tasks[node.id] = task
    }

    private func makeAsyncStageTask<S: AsyncStage>(_ stage: S, _ index: Int, _ waker: Waker) throws {
        let signal = OutletSignal()
        let errors = try makeErrorOutlet(index, signal)
        let outlet = try makeOutlet(index, .output, as: S.Output.self, signal)
        var outlets: [any AnyOutlet] = errors.map { [$0] } ?? []
        outlets.append(outlet)
        let node = plan.nodes[index]
        let known = isKept(index) ? before?.parts.tasks[node.id] as? AsyncStageTask<S> : nil
        let task = AsyncStageTask(
            known?.stage ?? stage, isOpen: known?.isOpen ?? false, name: node.id,
            input: try input(index, of: S.Input.self, waker),
            next: watched(outlet.link, of: index, as: S.Output.self),
            errors: errors.map(ErrorEnd.init), outlets: outlets, metrics: metrics[index], policy: node.onError,
            monitor: monitor, waker: waker, isLive: plan.mode == .live, isExplicit: isExplicit,
            serviceTime: serviceTimes[node.id] ?? 0)
        if let known {
            continued.insert(node.id)
            onAdoption { task.adopt(known) }
        }
        tasks.append(task)
        parts.tasks[node.id] = task
    }

    /// Creates the node of a sink that the previous node calls directly.
    func fuse(_ sink: any Sink, _ index: Int, behind: Int) -> (any AnyOutlet, AnyLink) {
        noteCall(behind, index)
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
        let node = sinkNode(sink, index)
        tasks.append(FusedSinkTask(name: plan.nodes[index].id, node: node))
        return (node, node.link)
    }

    /// The node of a sink: the one before if the sink did not change.
    private func sinkNode<S: Sink>(_ sink: S, _ index: Int) -> SinkNode<S> {
        let place = plan.nodes[index]
        let known = isKept(index) ? before?.parts.sinks[place.id] as? SinkNode<S> : nil
        if known != nil { continued.insert(place.id) }
        let node =
            known
            ?? SinkNode(
                sink, metrics: metrics[index], policy: place.onError, monitor: monitor, maxStreams: plan.maxStreams,
                sources: sources(of: index))
        parts.sinks[place.id] = node
        return node
    }
}
