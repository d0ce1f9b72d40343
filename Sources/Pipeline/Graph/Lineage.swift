/// What stands before and behind the nodes of a plan, as far as time and flow control must know.
package struct Lineage {
    /// For each node, the sources it stands behind (a source: itself).
    package private(set) var sources: [Set<Int>] = []

    /// For each node, whether it may rename streams.
    let renames: [Bool]

    /// For each node, whether it or a stage before it may have renamed streams.
    package private(set) var isRenamed: [Bool] = []

    /// For each node, by how many microseconds stages before it may hold back the time of a stream at most.
    private(set) var slack: [Int64] = []

    /// For each node, whether frames come to it that hold a slot of an edge until they are finished.
    private(set) var isBehindSlots: [Bool] = []

    private let edgeCounts: [Int]

    /// Who takes from each node, over whichever of its outputs.
    private let takers: [[Int]]

    package init(_ plan: Plan) {
        renames = plan.nodes.map { if case .stage(let stage) = $0.body { stage.renamesStreams } else { false } }
        let earlier = plan.nodes.map { node in
            guard case .stage(let stage) = node.body else { return 0 as Int64 }
            return min(max(0, stage.stampsEarlierByUs), Timestamp.max.rawValue)
        }
        var takers: [[Int]] = plan.nodes.map { _ in [] }
        for (index, node) in plan.nodes.enumerated() { for edge in node.edges { takers[edge.from].append(index) } }
        self.takers = takers
        edgeCounts = plan.nodes.map(\.edges.count)
        for (index, node) in plan.nodes.enumerated() {
            var before: Set<Int> = node.edges.isEmpty ? [index] : []
            for edge in node.edges { before.formUnion(sources[edge.from]) }
            sources.append(before)
            var most: Int64 = 0
            for edge in node.edges { most = max(most, slack[edge.from] + earlier[edge.from]) }
            slack.append(min(most, Timestamp.max.rawValue))
            var isBehind = renames[index]
            for edge in node.edges where isRenamed[edge.from] { isBehind = true }
            isRenamed.append(isBehind)
            isBehindSlots.append(node.edges.contains { holdsSlots($0) })
        }
    }

    /// For each node, whether it or a node behind it takes from several edges. O(nodes · edges).
    var leadsToJoin: [Bool] {
        var leads = edgeCounts.map { $0 > 1 }
        // Nodes stand behind those they take from.
        for index in takers.indices.reversed() where takers[index].contains(where: { leads[$0] }) {
            leads[index] = true
        }
        return leads
    }

    /// Whether frames of an edge hold slots: its own, or those of one before it without another that drops between.
    func holdsSlots(_ edge: Plan.Edge) -> Bool {
        edge.policy.inFlight != nil || !edge.policy.drops && isBehindSlots[edge.from]
    }

    /// What is known of the edges of a node. O(nodes + edges).
    func lanes(of node: Int, _ plan: Plan) -> [LanePlace] {
        let parts = parts(without: node)
        let edges = plan.nodes[node].edges
        // What stands behind must not wait for the sources on another way.
        let meetsAgain = takers[node].contains { taker in edges.contains { parts[$0.from] == parts[taker] } }
        return edges.enumerated().map { place, edge in
            LanePlace(
                sources: sources[edge.from], isRenamed: isRenamed[edge.from], isLimited: holdsSlots(edge),
                mayWait: !meetsAgain
                    && !edges.enumerated().contains { $0 != place && parts[$1.from] == parts[edge.from] })
        }
    }

    /// For each node, a number that it shares with all that it hangs together with when one node is left out.
    private func parts(without node: Int) -> [Int] {
        var parts = Array(repeating: -1, count: takers.count)
        var neighbors = takers
        for (index, list) in takers.enumerated() { for taker in list { neighbors[taker].append(index) } }
        for start in takers.indices where start != node && parts[start] < 0 {
            var waiting = [start]
            while let index = waiting.popLast() {
                guard index != node, parts[index] < 0 else { continue }
                parts[index] = start
                waiting += neighbors[index]
            }
        }
        return parts
    }
}
