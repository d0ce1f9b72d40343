import Pipeline
import Synchronization

/// An experiment with policies on those edges of a simulated pipeline that drop while busy: edges from a source that limit the
/// frames in flight and do not wait. It reports how many frames each policy would drop, and the age of the delivered frames.
public struct WhatIf: Sendable {
    /// The changes to every edge that drops while busy. `nil` keeps the value of the configuration.
    public struct Policy: Sendable, Hashable {
        /// The number of frames that may be in flight.
        public var inFlight: Int?

        /// The number of frames of each stream that may wait on the edge.
        public var capacity: Int?

        /// The action for a frame that arrives when the edge is full.
        public var onFull: EdgePolicy.OnFull?

        /// Creates a policy.
        public init(inFlight: Int? = nil, capacity: Int? = nil, onFull: EdgePolicy.OnFull? = nil) {
            self.inFlight = inFlight
            self.capacity = capacity
            self.onFull = onFull
        }
    }

    /// The result of a policy.
    public struct Outcome: Sendable, Hashable {
        /// The policy, completed with values of the configuration that are the same at every edge.
        public let policy: Policy

        /// The number of frames offered to the edges that drop while busy.
        public let offered: Int64

        /// The number of frames that these edges dropped.
        public let dropped: Int64

        /// The number of frames delivered at the sinks downstream of these edges.
        public let delivered: Int

        /// The number of lines and frames of the recordings that reached no edge, by reason: `failed` for unreadable lines, or the
        /// reason for which the source dropped them. Empty if all of them reached an edge.
        public let leftOut: [String: Int64]

        /// The median age of the delivered frames, in nanoseconds since their arrival.
        public let ageP50: Int64?

        /// The 95th percentile of that age, in nanoseconds.
        public let ageP95: Int64?

        /// The share of the offered frames that was dropped, from 0 to 1.
        public var share: Double { offered > 0 ? Double(dropped) / Double(offered) : 0 }
    }

    private let simulation: Simulation
    /// The edges that drop while busy, as the index of a node and the index of one of its edges.
    private let edges: [(node: Int, edge: Int)]
    /// For each node, whether it is downstream of one of these edges.
    private let isBehind: [Bool]

    /// Creates an experiment with a simulated pipeline.
    ///
    /// - Throws: A configuration error if no edge drops while busy.
    public init(_ simulation: Simulation) throws {
        self.simulation = simulation
        let nodes = simulation.plan.nodes
        let drops = { (edge: Plan.Edge) in
            edge.policy.inFlight != nil && edge.policy.onFull != .wait && nodes[edge.from].body.role == .source
        }
        edges = nodes.indices.flatMap { node in
            nodes[node].edges.indices.filter { drops(nodes[node].edges[$0]) }.map { (node, $0) }
        }
        // Edges always lead from an earlier node to a later one.
        isBehind = nodes.reduce(into: []) { known, node in
            known.append(node.edges.contains { drops($0) || known[$0.from] })
        }
        guard !edges.isEmpty else {
            throw PipelineError(
                .configuration, "whatif.nothing_drops", "no edge of \(simulation.plan.name) drops while busy",
                help:
                    "edges between live sources and stages drop frames of kinds whose frames are independent; points are never dropped one by one"
            )
        }
    }

    /// Runs the simulation with a policy.
    ///
    /// - Parameters:
    ///   - policy: The policy for the edges that drop while busy.
    ///   - log: The log in which the run reports unreadable input and its location.
    /// - Throws: The first failure of the run.
    public func callAsFunction(_ policy: Policy, log: Log = .silent) async throws -> Outcome {
        var plan = simulation.plan
        for (node, edge) in edges { policy.apply(to: &plan.nodes[node].edges[edge].policy) }
        let ages = Ages()
        var options = simulation.options()
        options.log = log
        plan = plan.replacingSinks { node, sink in
            plan.nodes.firstIndex { $0.id == node.id }.map { isBehind[$0] } == true ? Self.measuring(sink, ages) : nil
        }
        let report = await Run(plan, options: options).finished()
        if let failure = report.failures.first { throw failure.error }
        let policies = edges.map { plan.nodes[$0.node].edges[$0.edge].policy }
        let ledgers = edges.flatMap { node, edge in
            let (from, to) = (plan.nodes[plan.nodes[node].edges[edge].from].id, plan.nodes[node].id)
            return report.ledger.edges.filter { $0.from == from && $0.to == to }
        }
        var leftOut: [String: Int64] = [:]
        for source in report.ledger.nodes where source.role == .source {
            if source.failed > 0 { leftOut["failed", default: 0] += source.failed }
            for (reason, count) in source.allDropped { leftOut[reason.rawValue, default: 0] += count }
        }
        let sorted = ages.sorted
        return Outcome(
            policy: Policy(
                inFlight: Self.common(policies.map(\.inFlight)) ?? nil, capacity: Self.common(policies.map(\.capacity)),
                onFull: Self.common(policies.map(\.onFull))),
            offered: ledgers.reduce(0) { $0 + $1.offered }, dropped: ledgers.reduce(0) { $0 + $1.droppedTotal },
            delivered: sorted.count, leftOut: leftOut, ageP50: Self.quantile(0.5, of: sorted),
            ageP95: Self.quantile(0.95, of: sorted))
    }

    private static func measuring<S: Sink>(_ sink: S, _ ages: Ages) -> any Sink {
        AgeMeter<S.Input>(mayBlock: sink.mayBlock, ages: ages)
    }

    /// Returns the value that all elements share, or `nil` if they differ.
    private static func common<Value: Equatable>(_ values: [Value]) -> Value? {
        values.allSatisfy { $0 == values.first } ? values.first : nil
    }

    /// Returns the smallest value that the given share of the values does not exceed, or `nil` if there are no values.
    private static func quantile(_ share: Double, of sorted: [Int64]) -> Int64? {
        sorted.isEmpty ? nil : sorted[max(0, Int((share * Double(sorted.count)).rounded(.up)) - 1)]
    }
}

extension WhatIf.Policy {
    fileprivate func apply(to policy: inout EdgePolicy) {
        if let inFlight { policy.inFlight = inFlight }
        if let capacity { policy.capacity = capacity }
        if let onFull { policy.onFull = onFull }
    }
}

/// The ages of delivered frames.
private final class Ages: Sendable {
    private let ages = Lock<[Int64]>([])

    var sorted: [Int64] { ages.withLock { $0.sorted() } }

    func add(_ age: Int64) { ages.withLock { $0.append(age) } }
}

/// A sink that only records the ages of frames.
private struct AgeMeter<P: Payload>: Sink {
    typealias Input = P

    let mayBlock: Bool
    let ages: Ages
    private var clock: (any RunClock)?

    init(mayBlock: Bool, ages: Ages) {
        self.mayBlock = mayBlock
        self.ages = ages
    }

    mutating func open(_ context: SinkContext) { clock = context.clock }

    mutating func write(_ frame: Frame<P>) {
        if let clock { ages.add(clock.now - frame.arrival) }
    }
}
