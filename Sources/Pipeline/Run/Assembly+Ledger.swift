extension Assembly {
    /// The current state of the ledger.
    var ledger: Ledger {
        let nodes = plan.nodes.indices.flatMap { index in
            let node = plan.nodes[index]
            var entry = Ledger.Node(metrics[index], of: node)
            if entry.role == .sink, plan.mode == .live, entry.passed > 0 { entry.age = metrics[index].age.value }
            entry.alignment = parts.alignments[node.id]?.entry
            return [entry] + (parts.chains[node.id]?.nodes(in: node.id) ?? [])
        }
        var ledger = Ledger(
            nodes: nodes + past.nodes(without: Set(nodes.map(\.id))),
            edges: past.edges(continuedBy: edgeLedgers.map(\.edge)))
        ledger.fused = fused + past.calls
        ledger.chains = plan.nodes.compactMap { parts.chains[$0.id]?.chain(in: $0.id) } + past.chains
        return ledger
    }

    /// The ledger entries of all edges.
    fileprivate var edgeLedgers: [(key: AssemblyParts.EdgeKey?, edge: Ledger.Edge)] {
        allEdges.map { key, edge in
            var report = edge.report
            report.emittedBefore = key.flatMap { parts.edges[$0]?.emittedBefore } ?? 0
            return (key, report)
        }
    }
}

extension Ledger {
    /// Creates the ledger of a run that has not begun.
    init(of plan: Plan) {
        self.init(nodes: plan.nodes.map { Node(NodeMetrics(id: $0.id), of: $0) }, edges: [])
    }
}

extension Ledger.Node {
    /// Creates the entry of a node.
    init(_ metrics: NodeMetrics, of node: Plan.Node) {
        self.init(metrics, component: node.component, role: node.body.role)
    }
}

/// The ledger entries of nodes, edges and chains that reloads have removed from a run.
struct PastLedger {
    /// The entries of removed nodes at the time of their removal. If a later reload adds a node again, its counters continue.
    private var removed: [Ledger.Node] = []
    private var edges: [Ledger.Edge] = []
    private(set) var calls: [Ledger.Call] = []
    private var nested: [Ledger.Node] = []
    private(set) var chains: [Ledger.Chain] = []

    /// Creates a ledger without removed parts.
    init() {}

    /// Adds the parts of an assembly that the next assembly does not continue.
    init(of old: Assembly, replacedBy new: Assembly) {
        self = old.past
        let ledger = old.ledger
        let left = Set(new.plan.nodes.map(\.id))
        removed.removeAll { left.contains($0.id) }
        for node in ledger.nodes where node.parent == nil && !left.contains(node.id) {
            if !removed.contains(where: { $0.id == node.id }) { removed.append(node) }
        }
        func emitted(_ id: String) -> Int64 { ledger.nodes.first { $0.id == id }?.emitted ?? 0 }
        for case (let key?, let edge) in old.edgeLedgers
        where new.parts.edges[key]?.edge !== old.parts.edges[key]?.edge {
            add(edge, emitted: edge.emittedAfter ?? emitted(edge.from))
        }
        // Direct calls begin anew with every assembly.
        for call in old.fused { add(call, emitted: emitted(call.from) - call.emittedBefore) }
        for (id, chain) in old.parts.chains.sorted(by: { $0.key < $1.key }) where new.parts.chains[id] !== chain {
            add(chain, of: id)
        }
    }

    /// Returns the entries of the removed nodes, without those that were added again.
    func nodes(without known: Set<String>) -> [Ledger.Node] { removed.filter { !known.contains($0.id) } + nested }

    /// Returns the entries of the current edges, each with the counts of the removed edges between the same nodes, and then those
    /// of the other removed edges.
    func edges(continuedBy current: [Ledger.Edge]) -> [Ledger.Edge] {
        var others = edges
        let continued = current.map { edge in
            guard let index = others.firstIndex(where: edge.hasSameEnds) else { return edge }
            var edge = edge
            let removed = others.remove(at: index)
            edge.add(removed)
            edge.emittedBefore -= removed.emittedAfter ?? 0
            return edge
        }
        return continued + others
    }

    private mutating func add(_ edge: Ledger.Edge, emitted: Int64) {
        let sent = emitted - edge.emittedBefore
        guard let index = edges.firstIndex(where: edge.hasSameEnds) else {
            var edge = edge
            (edge.emittedBefore, edge.emittedAfter) = (0, sent)
            return edges.append(edge)
        }
        edges[index].add(edge)
        edges[index].emittedAfter = (edges[index].emittedAfter ?? 0) + sent
    }

    private mutating func add(_ call: Ledger.Call, emitted: Int64) {
        guard let index = calls.firstIndex(where: { $0.from == call.from && $0.to == call.to }) else {
            return calls.append(Ledger.Call(from: call.from, to: call.to, emittedAfter: emitted))
        }
        calls[index].emittedAfter = (calls[index].emittedAfter ?? 0) + emitted
    }

    /// Adds the entries of a chain whose stage was changed or removed, under the separate name `<id> (before)`.
    private mutating func add(_ metrics: ChainMetrics, of id: String) {
        let name = "\(id) (before)"
        for var node in metrics.nodes(in: name) {
            node.id = name + node.id.dropFirst(id.count)
            if let index = nested.firstIndex(where: { $0.id == node.id }) {
                nested[index].add(node)
            } else {
                nested.append(node)
            }
        }
        var chain = metrics.chain(in: name)
        chain.stages = chain.stages.map { name + $0.dropFirst(id.count) }
        if let index = chains.firstIndex(where: { $0.node == name && $0.stages == chain.stages }) {
            chains[index].given += chain.given
            chains[index].taken += chain.taken
        } else {
            chains.append(chain)
        }
    }
}

extension Ledger.Node {
    /// Adds the counts of another node.
    fileprivate mutating func add(_ other: Ledger.Node) {
        received += other.received
        passed += other.passed
        absorbed += other.absorbed
        failed += other.failed
        emitted += other.emitted
        lost += other.lost
        dropped.merge(other.dropped) { $0 + $1 }
    }
}

extension Ledger.Edge {
    fileprivate func hasSameEnds(_ other: Ledger.Edge) -> Bool { from == other.from && to == other.to }

    /// Adds the counts of another edge.
    fileprivate mutating func add(_ other: Ledger.Edge) {
        offered += other.offered
        taken += other.taken
        left += other.left
        timedOut += other.timedOut
        dropped.merge(other.dropped) { $0 + $1 }
    }
}
