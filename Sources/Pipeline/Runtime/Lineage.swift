/// What stands before and behind the nodes of a plan, as far as time and flow control must know.
struct Lineage {
    /// For each node, the sources it stands behind (a source: itself).
    private(set) var sources: [Set<Int>] = []

    /// For each node, whether it or a stage before it may have renamed streams.
    private(set) var isRenamed: [Bool] = []

    /// Who takes from each node, over whichever of its outputs.
    private let takers: [[(node: Int, policy: EdgePolicy)]]

    init(_ plan: Plan) {
        var takers: [[(node: Int, policy: EdgePolicy)]] = plan.nodes.map { _ in [] }
        for (index, node) in plan.nodes.enumerated() {
            for edge in node.edges { takers[edge.from].append((index, edge.policy)) }
            var renames = false
            if case .stage(let stage) = node.body { renames = stage.renamesStreams }
            var before: Set<Int> = node.edges.isEmpty ? [index] : []
            for edge in node.edges { before.formUnion(sources[edge.from]) }
            sources.append(before)
            for edge in node.edges where isRenamed[edge.from] { renames = true }
            isRenamed.append(renames)
        }
        self.takers = takers
    }

    /// Where the ways end that begin at a node: at sinks, at readers outside the run, and before edges that drop, when
    /// nothing else leads on. In the order of the nodes. O(nodes + edges).
    func ends(behind node: Int, isRead: (Int) -> Bool) -> [Int] {
        var ends: Set<Int> = []
        var seen: Set<Int> = [node]
        var waiting = [node]
        while let index = waiting.popLast() {
            let onward = takers[index].filter { !$0.policy.drops }
            if onward.isEmpty || isRead(index) { ends.insert(index) }
            for taker in onward where seen.insert(taker.node).inserted { waiting.append(taker.node) }
        }
        return ends.sorted()
    }
}
