/// What stands before and behind the nodes of a plan, as far as time and flow control must know.
struct Lineage {
    /// For each node, the sources it stands behind (a source: itself).
    private(set) var sources: [Set<Int>] = []

    /// For each node, whether it may rename streams.
    let renames: [Bool]

    /// For each node, whether it or a stage before it may have renamed streams.
    private(set) var isRenamed: [Bool] = []

    /// Who takes from each node, over whichever of its outputs.
    private let takers: [[(node: Int, policy: EdgePolicy)]]

    init(_ plan: Plan) {
        renames = plan.nodes.map { if case .stage(let stage) = $0.body { stage.renamesStreams } else { false } }
        var takers: [[(node: Int, policy: EdgePolicy)]] = plan.nodes.map { _ in [] }
        for (index, node) in plan.nodes.enumerated() {
            for edge in node.edges { takers[edge.from].append((index, edge.policy)) }
            var before: Set<Int> = node.edges.isEmpty ? [index] : []
            for edge in node.edges { before.formUnion(sources[edge.from]) }
            sources.append(before)
            var isBehind = renames[index]
            for edge in node.edges where isRenamed[edge.from] { isBehind = true }
            isRenamed.append(isBehind)
        }
        self.takers = takers
    }

    /// Where the ways end that begin at a node: at sinks, at readers outside the run, and before edges that drop, when
    /// nothing else leads on. In the order of the nodes. O(nodes + edges).
    func ends(behind node: Int, isRead: (Int) -> Bool) -> [Int] {
        nodes(behind: node).filter { isRead($0) || onward($0).isEmpty }.sorted()
    }

    /// A node and all that its frames come to without passing an edge that drops. O(nodes + edges).
    func nodes(behind node: Int) -> Set<Int> {
        var seen: Set<Int> = [node]
        var waiting = [node]
        while let index = waiting.popLast() {
            for taker in onward(index) where seen.insert(taker.node).inserted { waiting.append(taker.node) }
        }
        return seen
    }

    private func onward(_ node: Int) -> [(node: Int, policy: EdgePolicy)] { takers[node].filter { !$0.policy.drops } }
}
