/// The ledger of a run: equations that account for every frame.
///
/// Every frame that reaches a node has exactly one outcome there. The two sides of each equation are counted by different code, so
/// a violation reveals a defect of the engine.
public struct Ledger: Sendable {
    /// The entry of one node.
    public struct Node: Sendable {
        /// The role of a node in the graph.
        public enum Role: String, Sendable, CaseIterable {
            case source, stage, sink
        }

        /// The node's `id`.
        public var id: String
        /// The component's name.
        public var component: String
        /// The node's role.
        public var role: Role
        /// The number of frames (for a source: messages) that reached the node.
        public var received: Int64
        /// The number of frames that caused output. For a source: frames sent on. For a sink: frames written.
        public var passed: Int64
        /// The number of frames that were processed without causing output.
        public var absorbed: Int64

        /// The number of dropped frames that counted as absorbed before. Together with ``absorbed``, a number that never falls.
        package var droppedLater: Int64 = 0
        /// The number of dropped frames, by reason.
        public var dropped: [DropReason: Int64]
        /// The number of frames that could not be decoded, processed or written.
        public var failed: Int64
        /// The number of frames that the node emitted.
        public var emitted: Int64
        /// The number of frames that are known to have been lost before they reached the source.
        public var lost: Int64
        /// The median service time of a frame, in nanoseconds, if measured.
        public var p50: Int64?
        /// The 99th percentile of the service time of a frame, in nanoseconds, if measured.
        public var p99: Int64?
        /// The age of the last written frame: the time from its arrival until it was written, in nanoseconds. `nil` unless the node
        /// is a sink of a live run that has written a frame.
        public var age: Int64?
        /// The stage that runs this stage in a nested chain; `nil` if it is not nested. A nested stage receives parts of frames.
        public var parent: String?
        /// Whether a failure of this nested stage also makes the frame fail in the stage that runs it, where it is counted again.
        var failsParent = false
        /// The entry of the node's aligned input, if it has one. The node then receives sets.
        public var alignment: Alignment?
        /// Further counts of the component, for example of connections. No equation contains them.
        public var counts: [String: Int64] = [:]

        /// Levels of the component: numbers that can rise and fall, for example the number of waiting messages. No equation
        /// contains them.
        public var levels: [String: Int64] = [:]

        /// The number of frames dropped for any reason, including those that the aligned input dropped.
        public var droppedTotal: Int64 { allDropped.values.reduce(0, +) }

        /// The number of dropped frames by reason, including those that the aligned input dropped.
        public var allDropped: [DropReason: Int64] {
            dropped.merging(alignment?.dropped ?? [:]) { $0 + $1 }
        }

        /// The number of frames that were lost before they reached the source, or dropped for a reason that counts as a loss
        /// (``DropReason/isLoss``).
        public var lostTotal: Int64 { lost + Ledger.losses(among: allDropped) }
    }

    /// The entry of an aligned input: every frame that it read became part of a set or was dropped.
    public struct Alignment: Sendable {
        /// The number of frames read from its edges.
        public var frames: Int64
        /// The number of frames that became part of a set. A frame in several sets counts once.
        public var used: Int64
        /// The number of sets formed.
        public var sets: Int64
        /// The number of frames that are in no set, by reason.
        public var dropped: [DropReason: Int64]
    }

    /// The entry of a chain of stages that runs inside a stage.
    struct Chain: Sendable {
        /// The `id` of the stage that runs the chain.
        var node: String
        /// The `id`s of the chain's stages, as in ``Node/id``.
        var stages: [String]
        /// The number of parts of frames that the chain received.
        var given: Int64
        /// The number of results that were taken from the chain.
        var taken: Int64
    }

    /// The entry of one edge between tasks.
    public struct Edge: Sendable {
        /// The `id` of the producing node.
        public var from: String
        /// The `id` of the consuming node.
        public var to: String
        /// The number of frames that the producer offered.
        public var offered: Int64
        /// The number of frames that the consumer took.
        public var taken: Int64
        /// The number of frames that are still in the edge.
        public var left: Int64
        /// The number of dropped frames, by reason.
        public var dropped: [DropReason: Int64]
        /// Whether code outside the run reads the edge. If so, frames may be left in it after the run.
        public var isReadOutside: Bool
        /// The number of frames that stayed in flight downstream of the edge for longer than its timeout. They are not dropped, and
        /// no equation contains them.
        public var timedOut: Int64 = 0
        /// The median time that frames waited in the edge, in nanoseconds, if measured.
        public var p50: Int64?
        /// The 99th percentile of the time that frames waited in the edge, in nanoseconds, if measured.
        public var p99: Int64?
        /// The number of frames that the producer had emitted when the edge was created.
        var emittedBefore: Int64 = 0
        /// The number of frames that the producer had emitted when a reload removed the edge; `nil` while the edge exists.
        var emittedAfter: Int64?

        /// The number of frames dropped for any reason.
        public var droppedTotal: Int64 { dropped.values.reduce(0, +) }

        /// The number of frames dropped for a reason that counts as a loss (``DropReason/isLoss``).
        public var lostTotal: Int64 { Ledger.losses(among: dropped) }
    }

    /// A connection by which a node passes frames to another node by direct calls.
    struct Call: Sendable {
        /// The `id` of the calling node.
        var from: String
        /// The `id` of the called node.
        var to: String
        /// The number of frames that the calling node had emitted when the calls began.
        var emittedBefore: Int64 = 0
        /// The number of frames that the calling node had emitted when a reload ended the calls; `nil` while the calls continue.
        var emittedAfter: Int64?
    }

    /// The entries of all nodes, in the order of the graph.
    public var nodes: [Node]

    /// The entries of all edges between tasks.
    public var edges: [Edge]

    /// The connections by direct calls.
    var fused: [Call] = []

    /// The entries of the chains inside nodes.
    var chains: [Chain] = []

    /// The number of frames lost unintentionally: frames that failed, frames that were lost before they reached a source, and
    /// frames that were dropped for a reason that counts as a loss (``DropReason/isLoss``).
    public var losses: Int64 {
        nodes.reduce(0) { sum, node in
            sum + (node.failsParent ? 0 : node.failed) + node.lostTotal
        } + edges.reduce(0) { $0 + $1.lostTotal }
    }

    private static func losses(among dropped: [DropReason: Int64]) -> Int64 {
        dropped.reduce(0) { $0 + ($1.key.isLoss ? $1.value : 0) }
    }

    /// Updates the entries of edges that are read outside the run, because readers may take frames after the run has ended.
    mutating func update(readOutsideFrom now: @autoclosure () -> Ledger) {
        guard edges.contains(where: \.isReadOutside) else { return }
        let now = now()
        guard now.edges.count == edges.count else { return }
        for (index, edge) in now.edges.enumerated() where edge.isReadOutside { edges[index] = edge }
    }

    /// The `id`s of the nodes whose frames may have been lost before they reached the pipeline or after they left it. The number of
    /// lost frames is unknown.
    public var unknownLosses: [String] {
        nodes.filter { $0.counts[Counts.unknownLoss, default: 0] > 0 }.map(\.id)
    }

    /// Returns a description of each equation that does not hold; empty if all equations hold.
    ///
    /// - Parameters:
    ///   - isClean: Whether the run ended normally, so that no frame may be left in an edge.
    ///   - open: The first nodes of the tasks that were ended by force. The nodes of these tasks, and the edges at these nodes,
    ///     are not checked: frames that such a task holds have no outcome, and the task may still be counting.
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
            let arrived = incoming.reduce(0) { $0 + $1.taken } + direct.reduce(0) { $0 + passed(by: $1) }
            if let alignment = node.alignment {
                found += alignment.violations(of: node, arrived: arrived)
            } else if arrived != node.received {
                found.append("\(node.id): \(arrived) arrived, but \(node.received) in")
            }
        }
        return found
    }

    /// Returns the number of frames that a node has passed to another by direct calls; `nil` if there were no such calls.
    package func called(from: String, to: String) -> Int64? {
        let calls = fused.filter { $0.from == from && $0.to == to }
        return calls.isEmpty ? nil : calls.reduce(0) { $0 + passed(by: $1) }
    }

    private func passed(by call: Call) -> Int64 {
        (call.emittedAfter ?? nodes.first { $0.id == call.from }?.emitted ?? 0) - call.emittedBefore
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
        if let from = nodes.first(where: { $0.id == edge.from }) {
            let emitted = (edge.emittedAfter ?? from.emitted) - edge.emittedBefore
            if emitted != edge.offered {
                found.append("\(edge.from) → \(edge.to): \(emitted) out, but \(edge.offered) offered")
            }
        }
        return found
    }

    /// Returns all nodes of tasks that are given by their first nodes. A node that is called directly belongs to its caller's
    /// task.
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
    /// Creates the entry of a node from its counters.
    init(_ metrics: NodeMetrics, component: String, role: Role) {
        let service = metrics.service
        self.init(
            id: metrics.id, component: component, role: role, received: metrics.sum { $0.received.value },
            passed: metrics.sum { $0.passed.value },
            absorbed: metrics.sum { $0.absorbed.value - $0.droppedLater.value },
            dropped: metrics.allDropped, failed: metrics.sum { $0.failed.value },
            emitted: metrics.sum { $0.emitted.value }, lost: metrics.lost.value, p50: service.quantile(0.5),
            p99: service.quantile(0.99), counts: metrics.counts.values)
        levels = metrics.counts.levels
        droppedLater = metrics.sum { $0.droppedLater.value }
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
