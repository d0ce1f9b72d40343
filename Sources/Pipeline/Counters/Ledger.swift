/// The account of a run: where every frame ended.
///
/// A frame that reaches a node ends there once. Both sides of every equation are counted by different code, so that a
/// violation shows a defect of the engine.
public struct Ledger: Sendable {
    /// The account of one node.
    public struct Node: Sendable {
        /// What the node is.
        public enum Role: String, Sendable {
            case source, stage, sink
        }

        /// Its `id`.
        public var id: String
        /// The component's name.
        public var component: String
        /// What it is.
        public var role: Role
        /// Frames (for a source: messages) that reached it.
        public var received: Int64
        /// Frames that caused output; for a source, frames it sent on; for a sink, frames written.
        public var passed: Int64
        /// Frames taken in with nothing put out.
        public var absorbed: Int64
        /// Frames dropped, by reason.
        public var dropped: [DropReason: Int64]
        /// Frames that could not be decoded, processed or written.
        public var failed: Int64
        /// Frames it put out.
        public var emitted: Int64
        /// Frames known to have been lost on the way to a source.
        public var lost: Int64
        /// The median time one frame takes, in nanoseconds, if measured.
        public var p50: Int64?
        /// The time 99 % of frames stay under, in nanoseconds, if measured.
        public var p99: Int64?
        /// How long after its arrival the frame it wrote last was written, in nanoseconds; `nil` unless it is a sink of a
        /// live run that has written one.
        public var age: Int64?
        /// The stage it runs inside, if it is a stage of a nested chain; what it received are parts of frames then.
        public var parent: String?
        /// Whether what it cannot process is counted as failed by that stage, too.
        var failsParent = false
        /// The account of its aligned input, if it has one; what it received are sets then.
        public var alignment: Alignment?
        /// What the component counted beside its frames: connections, say. In no equation.
        public var counts: [String: Int64] = [:]

        /// Frames dropped for any reason, also those that its aligned input could not use.
        public var droppedTotal: Int64 { allDropped.values.reduce(0, +) }

        /// Frames dropped, also by its aligned input, by reason.
        public var allDropped: [DropReason: Int64] {
            dropped.merging(alignment?.dropped ?? [:]) { $0 + $1 }
        }
    }

    /// The account of an aligned input: every frame it took became part of a set, or was dropped.
    public struct Alignment: Sendable {
        /// Frames it took from its edges.
        public var frames: Int64
        /// Frames that became part of a set, however many sets that were.
        public var used: Int64
        /// Sets it made.
        public var sets: Int64
        /// Frames that no set used, by reason.
        public var dropped: [DropReason: Int64]
    }

    /// The account of a chain of stages inside a stage.
    struct Chain: Sendable {
        /// The stage that runs it.
        var node: String
        /// Its stages, by the `id`s of their accounts.
        var stages: [String]
        /// Parts of frames given to it.
        var given: Int64
        /// What was taken from it.
        var taken: Int64
    }

    /// The account of one edge between tasks.
    public struct Edge: Sendable {
        /// The node it leaves from.
        public var from: String
        /// The node it leads to.
        public var to: String
        /// Frames the sender offered.
        public var offered: Int64
        /// Frames the receiver took.
        public var taken: Int64
        /// Frames still in it.
        public var left: Int64
        /// Frames dropped, by reason.
        public var dropped: [DropReason: Int64]
        /// Whether it is read from outside the run, so that frames may be left in it when the run is over.
        public var isReadOutside: Bool
        /// Frames that were unfinished behind it for longer than its time-out; they are not dropped, and stand in no
        /// equation.
        public var timedOut: Int64 = 0
        /// The median time frames waited in it, in nanoseconds, if measured.
        public var p50: Int64?
        /// The time 99 % of waits stay under, in nanoseconds, if measured.
        public var p99: Int64?

        /// Frames dropped for any reason.
        public var droppedTotal: Int64 { dropped.values.reduce(0, +) }
    }

    /// All nodes, in the order of the graph.
    public var nodes: [Node]

    /// All edges between tasks.
    public var edges: [Edge]

    /// For each node that passes frames by a direct call: the node it passes them to.
    var fused: [(from: String, to: String)] = []

    /// The chains inside nodes.
    var chains: [Chain] = []

    /// Frames lost against anybody's will: dropped by an edge, late, failed, or missing on a wire.
    public var losses: Int64 {
        nodes.reduce(0) { sum, node in
            sum + (node.failsParent ? 0 : node.failed) + node.lost
                + node.allDropped.reduce(0) { $0 + ($1.key.isLoss ? $1.value : 0) }
        } + edges.reduce(0) { $0 + $1.droppedTotal }
    }

    /// Brings up to date what readers outside the run have taken since it ended.
    mutating func update(readOutsideFrom now: Ledger) {
        guard now.edges.count == edges.count else { return }
        for (index, edge) in now.edges.enumerated() where edge.isReadOutside { edges[index] = edge }
    }

    /// Whose frames may have been lost after they had left the pipeline, nobody knows how many.
    public var unknownLosses: [String] {
        nodes.filter { $0.counts[Counts.unknownLoss, default: 0] > 0 }.map(\.id)
    }

    /// The equations that do not hold, in words; empty for a run whose account closes.
    ///
    /// - Parameters:
    ///   - isClean: Whether the run ended by itself, so that nothing may be left in an edge.
    ///   - open: The tasks, by their first node, that were ended by force. What they hold has ended nowhere and they may be
    ///     counting still, so nothing is said of their nodes, nor of the edges at these.
    public func violations(isClean: Bool, open: Set<String> = []) -> [String] {
        let open = withFused(open)
        var found: [String] = []
        for node in nodes where !open.contains(node.id) {
            let ended = node.passed + node.absorbed + node.dropped.values.reduce(0, +) + node.failed
            if node.received != ended { found.append("\(node.id): \(node.received) in, but \(ended) ended") }
            if node.role == .source, node.passed != node.emitted {
                found.append("\(node.id): \(node.passed) passed, but \(node.emitted) out")
            }
        }
        for edge in edges where !open.contains(edge.from) && !open.contains(edge.to) {
            found += violations(of: edge, isClean: isClean)
        }
        for chain in chains where !open.contains(chain.node) { found += violations(of: chain) }
        for node in nodes where node.role != .source && node.parent == nil && !open.contains(node.id) {
            let incoming = edges.filter { $0.to == node.id }
            let direct = fused.filter { $0.to == node.id }
            let arrived =
                incoming.reduce(0) { $0 + $1.taken }
                + direct.reduce(0) { sum, pair in sum + (nodes.first { $0.id == pair.from }?.emitted ?? 0) }
            if let alignment = node.alignment {
                found += alignment.violations(of: node, arrived: arrived)
            } else if arrived != node.received {
                found.append("\(node.id): \(arrived) arrived, but \(node.received) in")
            }
        }
        return found
    }

    private func violations(of chain: Chain) -> [String] {
        var found: [String] = []
        var (above, arrived) = (chain.node, chain.given)
        for id in chain.stages {
            guard let node = nodes.first(where: { $0.id == id }) else { continue }
            if node.received != arrived { found.append("\(id): \(arrived) from \(above), but \(node.received) in") }
            (above, arrived) = (id, node.emitted)
        }
        if chain.taken != arrived {
            found.append("\(above): \(arrived) out, but \(chain.taken) taken by \(chain.node)")
        }
        return found
    }

    private func violations(of edge: Edge, isClean: Bool) -> [String] {
        var found: [String] = []
        let ended = edge.taken + edge.droppedTotal + edge.left
        if edge.offered != ended {
            found.append("\(edge.from) → \(edge.to): \(edge.offered) offered, but \(ended) ended")
        }
        if isClean, edge.left != 0, !edge.isReadOutside {
            found.append("\(edge.from) → \(edge.to): \(edge.left) left")
        }
        if let from = nodes.first(where: { $0.id == edge.from }), from.emitted != edge.offered {
            found.append("\(edge.from) → \(edge.to): \(from.emitted) out, but \(edge.offered) offered")
        }
        return found
    }

    /// Tasks by all of their nodes: those that are called directly belong to who calls them.
    private func withFused(_ tasks: Set<String>) -> Set<String> {
        var all = tasks
        var grows = !tasks.isEmpty
        while grows {
            let called =
                fused.filter { all.contains($0.from) }.map(\.to)
                + chains.filter { all.contains($0.node) }.flatMap(\.stages)
            grows = !all.isSuperset(of: called)
            all.formUnion(called)
        }
        return all
    }
}

extension Ledger.Node {
    /// What the counters of a node say.
    init(_ metrics: NodeMetrics, component: String, role: Role) {
        self.init(
            id: metrics.id, component: component, role: role, received: metrics.sum { $0.received.value },
            passed: metrics.sum { $0.passed.value }, absorbed: metrics.sum { $0.absorbed.value },
            dropped: metrics.allDropped, failed: metrics.sum { $0.failed.value },
            emitted: metrics.sum { $0.emitted.value }, lost: metrics.lost.value, p50: metrics.service.quantile(0.5),
            p99: metrics.service.quantile(0.99), counts: metrics.counts.values)
    }
}

extension Ledger.Alignment {
    fileprivate func violations(of node: Ledger.Node, arrived: Int64) -> [String] {
        var found: [String] = []
        let ended = used + dropped.values.reduce(0, +)
        if arrived != frames { found.append("\(node.id): \(arrived) arrived, but \(frames) in") }
        if frames != ended { found.append("\(node.id): \(frames) to be aligned, but \(ended) ended") }
        if sets != node.received { found.append("\(node.id): \(sets) sets made, but \(node.received) in") }
        return found
    }
}
