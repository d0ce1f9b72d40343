import PipelineTesting

@testable import Pipeline
@testable import PipelineConfiguration

/// Runs a ``Graph`` on the engine.
struct GraphRunner {
    /// Settings that must not change the results, except for the order across streams.
    struct Setting: Sendable, Hashable {
        /// The number of frames that a source produces at once.
        var batchSize = 64
        /// The capacity of each edge; if `nil`, the engine decides where there are edges.
        var capacity: Int?
        /// The number of workers of the stages that are shared.
        var workers = 1
        /// How often the run is reloaded with the same plan while it runs.
        var reloads = 0
        /// The number of calls of `read` after which each source brings the run to a commit point; 0 for never.
        var commits = 0
        /// Whether the reloads also change nodes other than sources, and add and remove edges.
        var changes = false
    }

    /// The outcome of a run.
    struct Outcome: Sendable {
        /// The frames that each sink received, in order.
        var frames: [Int: [GraphModel.Item]] = [:]
        var drops: [GraphModel.Drop] = []
        var counts: [String: GraphModel.Counts] = [:]
        /// Faults: unexpected failures, and violations of the ledger.
        var faults: [String] = []
        var failures: [String] = []
    }

    /// The stage that fails and ends the run, and the number at which it does so.
    struct Failure: Sendable {
        var place: Int
        var value: Int
    }

    private let graph: Graph
    private let failing: Failure?

    init(_ graph: Graph, failing: Failure? = nil) { (self.graph, self.failing) = (graph, failing) }

    func run(_ setting: Setting) async -> Outcome {
        var plan = Plan.building(mode: graph.isLive ? .live : .batch)
        plan.maxStreams = graph.maxStreams ?? plan.maxStreams
        plan.streamIdleMs = graph.idle.map { Double($0) / 1000 }
        if graph.isTimed { plan.latenessMs = 5 }
        var numbers: [Int: Collector<TestNumber>] = [:]
        var errors: [Int: Collector<FailedFrame>] = [:]
        let routed = graph.nodes.reduce(into: Set<Int>()) { if case .errorSink = $1.kind { $0.formUnion($1.from) } }
        for (place, node) in graph.nodes.enumerated() {
            let from = node.from.map { graph.nodes[$0].name }
            let policy = policy(setting, node.limits)
            let failsOn = failing?.place == place ? failing?.value : nil
            let onError: ErrorPolicy = failsOn != nil ? .fail : routed.contains(place) ? .route : .skip
            switch node.kind {
            case .source(let events):
                plan.add(node.name, source: source(events, setting), rules: .init(onDisorder: .drop))
            case .stage(.each(let works)):
                plan.add(node.name, stage: PartsStage(works), from: from, policy: policy, onError: onError)
            case .stage(let work):
                plan.add(
                    node.name, stage: WorkStage(work, failsOn: failsOn), from: from, policy: policy, onError: onError)
            case .asyncStage(let work, let inFlight):
                let service = WorkService(work, inFlight: inFlight, failsOn: failsOn)
                plan.add(node.name, asyncStage: service, from: from, policy: policy, onError: onError)
            case .join(let rule, let tolerance, let pair):
                let alignment = Alignment(rule, toleranceMs: Double(tolerance) / 1000, pair: pair)
                plan.add(node.name, stage: JoinStage(alignment: alignment), from: from, policy: policy)
            case .sink(let mayBlock):
                let collector = Collector<TestNumber>()
                numbers[place] = collector
                plan.add(node.name, sink: collector.sink(mayBlock: mayBlock), from: from, policy: policy)
            case .errorSink:
                let collector = Collector<FailedFrame>()
                errors[place] = collector
                plan.add(node.name, sink: collector.sink(), from: from.map { "\($0).errors" }, policy: policy)
            }
            if node.isShared { plan.nodes[place].workers = setting.workers }
        }
        let drops = DropLog()
        var outcome = await run(plan, drops, setting)
        for (place, collector) in numbers {
            outcome.frames[place] = collector.frames.map { .init($0, $0.payload.value) }
        }
        for (place, collector) in errors {
            outcome.frames[place] = collector.frames.map { .init($0, ($0.payload.frame as? TestNumber)?.value ?? -1) }
        }
        outcome.drops = drops.records.filter { $0.reason != .lost }.map { GraphModel.Drop($0) }
        return outcome
    }

    private func policy(_ setting: Setting, _ limits: Graph.Limits?) -> EdgePolicy? {
        guard setting.capacity != nil || limits != nil else { return nil }
        return EdgePolicy(
            capacity: setting.capacity ?? 64, inFlight: limits?.inFlight, timeoutMs: limits?.timeoutMs,
            idleTimeoutMs: limits?.idleTimeoutMs)
    }

    private func run(_ plan: Plan, _ drops: DropLog, _ setting: Setting) async -> Outcome {
        var options = Run.Options()
        options.onDrop = { drops.add($0) }
        if graph.isLive { options.clock = VirtualClock() }
        let run = Run(plan, options: options)
        let watchdog = Task {
            guard (try? await Task.sleep(for: .seconds(20))) != nil else { return false }
            run.cancel()
            return true
        }
        var outcome = Outcome()
        run.start()
        let reloading = Task { await reload(run, plan, setting) }
        let report = await run.finished()
        outcome.faults += await reloading.value
        watchdog.cancel()
        if await watchdog.value { outcome.faults.append("it hangs") }
        outcome.failures = report.failures.map { "\($0.node): \($0.error)" }
        outcome.faults += report.violations
        if failing == nil { outcome.faults += outcome.failures }
        if report.failures.contains(where: { $0.node == "engine" }) { outcome.faults += outcome.failures }
        for node in report.ledger.nodes { outcome.counts[node.id] = GraphModel.Counts(node) }
        return outcome
    }

    /// Reloads a run as often as the setting says, or until it ends. Returns the faults.
    private func reload(_ run: Run, _ plan: Plan, _ setting: Setting) async -> [String] {
        // In the first plan, nodes may pass frames by direct calls; in the second, there is an edge between all nodes.
        var apart = plan
        for node in apart.nodes.indices {
            for edge in apart.nodes[node].edges.indices { apart.nodes[node].edges[edge].isExplicit = true }
        }
        // In the third plan, each merge has one more edge.
        var wider = plan
        for (place, node) in graph.nodes.enumerated() where node.from.count > 1 {
            if case .join = node.kind { continue }
            wider.nodes[place].edges.append(wider.nodes[place].edges[0])
        }
        let plans = setting.changes ? [plan, apart, wider] : [plan]
        var generator = SeededGenerator(seed: UInt64(plan.nodes.count))
        for turn in 0..<setting.reloads {
            let kept = plan.nodes.filter {
                !setting.changes || $0.edges.isEmpty || Bool.random(using: &generator)
            }
            do {
                try await run.reload(plans[turn % plans.count], keeping: Set(kept.map(\.id)))
            } catch let error as PipelineError where ["reload.not_running", "reload.ended"].contains(error.code) {
                // The run has ended, or a sink to which the reload adds an edge has.
                return []
            } catch {
                return ["\(error)"]
            }
        }
        return []
    }

    private func source(_ events: [Graph.Event], _ setting: Setting) -> any Source<TestNumber> {
        typealias Timeline = TimelineSource<TestNumber>
        var moment: Int64 = 0
        var timeline: [Timeline.Event] = []
        for event in events {
            let item: FramesSource<TestNumber>.Item
            switch event {
            case .frame(let frame):
                moment = frame.arrival
                item = .frame(
                    Frame(
                        TestNumber(frame.value), at: .microseconds(frame.time), stream: StreamID(frame.stream),
                        sequence: frame.sequence))
            case .lost(let count, let stream): item = .lost(Int64(count), StreamID(stream))
            case .bound(let time): item = .bound(.microseconds(time))
            case .end(let stream): item = .end(StreamID(stream))
            }
            timeline.append(Timeline.Event(at: moment, item: item))
        }
        if graph.isLive { return Timeline(timeline) }
        let source = FramesSource(items: timeline.map(\.item), batchSize: setting.batchSize)
        return setting.commits > 0 ? CommittingSource(source, every: setting.commits) : source
    }
}

/// A source that brings the run to commit points.
private struct CommittingSource: Source {
    private var source: FramesSource<TestNumber>
    private let interval: Int
    private var readings = 0
    private var context: SourceContext?

    init(_ source: FramesSource<TestNumber>, every interval: Int) { (self.source, self.interval) = (source, interval) }

    var commits: Bool { true }

    mutating func open(_ context: SourceContext) async throws {
        self.context = context
        context.commits { _ in nil }
        try await source.open(context)
    }

    mutating func read(into batch: inout SourceBatch<TestNumber>) async throws -> Bool {
        readings += 1
        if readings % interval == 0 { _ = try await context?.commit() }
        return try await source.read(into: &batch)
    }
}

extension GraphModel.Item {
    fileprivate init<P: Payload>(_ frame: Frame<P>, _ value: Int) {
        self.init(
            stream: frame.stream.name, time: frame.timestamp.rawValue, sequence: frame.sequence, gap: Int(frame.gap),
            value: value)
    }
}

extension GraphModel.Drop {
    fileprivate init(_ record: DropRecord) {
        self.init(
            place: record.place, stream: record.stream.name, time: record.timestamp.rawValue,
            sequence: record.sequence, reason: record.reason.rawValue)
    }
}

extension GraphModel.Counts {
    fileprivate init(_ node: Ledger.Node) {
        self.init(
            received: Int(node.received), passed: Int(node.passed), absorbed: Int(node.absorbed),
            dropped: Int(node.dropped.values.reduce(0, +)), failed: Int(node.failed), emitted: Int(node.emitted))
    }
}
