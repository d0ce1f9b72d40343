/// Turns a plan into tasks connected by edges.
///
/// Consecutive stages form one segment. An edge between tasks is created only where the graph needs one: for example after a
/// source, at a fan-out or a merge, where the configuration sets a policy, after a node's error output, before and after an
/// asynchronous stage, and before a sink that may block. See ``Plan/hop(into:edge:)`` for all cases. Types are checked here once,
/// so that no frame is cast during the run.
// Each object of an assembly is passed to one task before any task runs. Afterwards, other tasks only read the counters of these
// objects, which are atomic. A reload changes an assembly while the run is frozen.
final class Assembly: @unchecked Sendable {
    let plan: Plan
    let monitor: RunMonitor
    var tasks: [any RunTask] = []
    private(set) var metrics: [NodeMetrics] = []
    var progress: [(id: String, Progress)] = []
    var fused: [Ledger.Call] = []
    /// The ledger entries of the parts that reloads have removed.
    private(set) var past = PastLedger()
    /// All edges. An edge to a reader outside the run has no key.
    var allEdges: [(key: AssemblyParts.EdgeKey?, edge: Edge)] = []
    /// The objects that watch links. Links retain nothing, so these objects are retained here during the run.
    var watched: [AnyObject] = []

    /// The parts by the `id`s of their nodes.
    var parts = AssemblyParts()
    /// The parts that continue from the previous assembly, if the run is reloaded.
    var before: Continuation?
    /// The sinks and asynchronous stages that continue and are therefore already open.
    var continued: Set<String> = []
    /// The functions that move state into this assembly; each is called once, while the run is frozen.
    private var adoptions: [() -> Void] = []

    let limit: Int64?
    /// The number of threads that a source may use for reading.
    let readers: Int
    let serviceTimes: [String: Int64]
    let watermarks: Watermarks
    let lineage: Lineage
    /// For each node, whether it or a downstream node merges or joins edges by the ranks of the sources' items. Always false if
    /// watermarks are explicit.
    let leadsToJoin: [Bool]
    /// For each node, the consumers of its output: the consuming node, and the index of the edge in that node's `edges`.
    var consumers: [[(node: Int, edge: Int)]]
    /// For each node, the consumers of its error output.
    var errorConsumers: [[(node: Int, edge: Int)]]
    /// For each node, the edges into it. An element is `nil` if the node is called directly.
    var edges: [[Edge?]]
    /// The readers outside the run, by the node whose output they read.
    var taps: [Int: [Tap]] = [:]
    /// Whether a result may have no reader yet, so that it must not delay the run.
    let mayBeUnread: Bool
    /// The waker of each node's task.
    var wakers: [Waker?]

    /// A reader outside the run that reads the output of a node.
    struct Tap {
        let node: Int
        let waker: Waker
        let receive: @Sendable (Edge) -> Void
    }

    init(
        _ plan: Plan, monitor: RunMonitor, options: RunOptions, taps: [Tap] = [], read: Int = 0,
        continuing before: Continuation? = nil
    ) throws {
        self.before = before
        serviceTimes = options.serviceTimes
        mayBeUnread = taps.count > read
        watermarks = options.watermarks ?? plan.watermarks
        lineage = Lineage(plan)
        leadsToJoin = watermarks == .explicit ? plan.nodes.map { _ in false } : lineage.leadsToJoin
        self.plan = plan
        self.monitor = monitor
        limit = options.limit
        readers = max(1, options.workers)
        consumers = plan.nodes.map { _ in [] }
        errorConsumers = plan.nodes.map { _ in [] }
        edges = plan.nodes.map { $0.edges.map { _ in nil } }
        wakers = plan.nodes.map { _ in nil }
        // A component that is added again continues its counters, and those of its join must agree with them.
        (parts.metrics, parts.alignments) = (before?.parts.metrics ?? [:], before?.parts.alignments ?? [:])
        metrics = plan.nodes.map { node in part(\.metrics, node.id) { NodeMetrics(id: node.id) } }
        var next = (before?.parts.numbers.values.max() ?? -1) + 1
        for node in plan.nodes {
            let isNew = node.edges.isEmpty && !(before?.kept.contains(node.id) ?? false)
            parts.numbers[node.id] = isNew ? nil : before?.parts.numbers[node.id]
            if parts.numbers[node.id] == nil {
                parts.numbers[node.id] = next
                next += 1
            }
        }
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
            let node = plan.nodes[index]
            guard isHead(index) else {
                wakers[index] = wakers[upstream(index)]
                continue
            }
            // A changed source gets a new waker, because the old source still runs when the new source starts.
            wakers[index] = part(\.wakers, node.id, isKept: !node.edges.isEmpty || isKept(index)) {
                monitor.makeWaker(of: node.id)
            }
        }
        // A replayed run needs no live times, because the tape contains the watermarks.
        if plan.mode == .live, monitor.options.tape?.isReplay != true, let timer = monitor.timer {
            for (index, node) in plan.nodes.enumerated() where node.edges.isEmpty {
                _ = part(\.liveTimes, node.id, isKept: isKept(index)) {
                    LiveTime(
                        of: (number(of: index), node.id), clock: monitor.clock, timer: timer,
                        latenessMs: plan.latenessMs)
                }
            }
        }
        for index in plan.nodes.indices where isHead(index) { try makeEdges(into: index) }
        do {
            for index in plan.nodes.indices where isHead(index) { try makeTask(index) }
        } catch {
            stopNewThreads()
            throw error
        }
        // The taps have their edges now, so drop them: a reader retains its run, the run retains this object, and retaining the
        // taps here would create a cycle.
        self.taps = self.taps.mapValues { _ in [] }
    }

    /// The measurements that are not part of the ledger.
    var measures: RunMeasures {
        let all = metrics.flatMap { [$0] + (parts.chains[$0.id]?.metrics ?? []) }
        return RunMeasures(
            nodes: all.map {
                .init(id: $0.id, service: $0.service, age: $0.ages.now, sockets: $0.counts.sockets)
            }, waits: allEdges.map(\.edge.latency.now))
    }

    // MARK: Reload

    /// Ends the threads of the tasks that do not come from the previous assembly, because none of these tasks will run.
    func stopNewThreads() {
        let known = before?.assembly.tasks ?? []
        for task in tasks where !known.contains(where: { $0 === task }) { task.executor?.stop() }
    }

    /// Returns whether a node continues from the previous assembly.
    func isKept(_ index: Int) -> Bool { before?.kept.contains(plan.nodes[index].id) ?? false }

    /// Returns a part of a node: the existing part of this assembly or of the previous one, or a new part if there is none.
    ///
    /// - Parameter isKept: Whether the part of the previous assembly may continue.
    func part<Part>(
        _ list: WritableKeyPath<AssemblyParts, [String: Part]>, _ id: String, isKept: Bool = true, _ make: () -> Part
    ) -> Part {
        let known = parts[keyPath: list][id] ?? (isKept ? before?.parts[keyPath: list][id] : nil)
        let part = known ?? make()
        parts[keyPath: list][id] = part
        return part
    }

    /// Returns the number of a node, which stays the same while the run lasts.
    func number(of index: Int) -> Int { parts.numbers[plan.nodes[index].id] ?? 0 }

    /// Records that a node calls another one directly.
    func noteCall(_ from: Int, _ to: Int) {
        let (place, emitted) = (fused.count, metrics[from])
        fused.append(Ledger.Call(from: plan.nodes[from].id, to: plan.nodes[to].id))
        if before != nil {
            onAdoption { [unowned self] in fused[place].emittedBefore = emitted.sum { $0.emitted.value } }
        }
    }

    /// Adds a function that moves state into this assembly. It is called while the run is frozen.
    func onAdoption(_ body: @escaping () -> Void) { adoptions.append(body) }

    /// Moves the state of the parts that continue into this assembly. The run must be frozen.
    func adopt() {
        for body in adoptions { body() }
        adoptions = []
        // After the adoptions: a join takes what waits on the edges that it leaves.
        if let before { past = PastLedger(of: before.assembly, replacedBy: self) }
        // Release the previous assembly: otherwise, each assembly would retain all earlier ones.
        before = nil
    }

    // MARK: Shape

    /// Returns whether a node starts its own task, because no other node calls it directly.
    func isHead(_ index: Int) -> Bool {
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

    /// A snapshot of the tasks' activity.
    var pulse: RunPulse {
        let beats = plan.nodes.indices.filter(isHead).compactMap { index in
            wakers[index]?.beat(of: metrics[index])
        }
        return RunPulse(beats: beats, isTimed: monitor.timer?.isWaiting ?? false)
    }
}
