/// The upstream and downstream relations of a plan's nodes, as needed for timing and flow control.
package struct Lineage {
    /// For each node, the sources upstream of it. For a source, the source itself.
    package private(set) var sources: [Set<Int>] = []

    /// For each node, whether it may rename streams.
    let renames: [Bool]

    /// For each node, whether it or an upstream stage may have renamed streams.
    package private(set) var isRenamed: [Bool] = []

    /// For each node, the maximum number of microseconds by which upstream stages together may stamp output earlier than the
    /// source frames from which it was made.
    private(set) var slack: [Int64] = []

    /// For each node, whether it receives frames that count as in flight on some edge until they are finished.
    private(set) var receivesCountedFrames: [Bool] = []

    private let edgeCounts: [Int]

    /// For each node, the nodes that receive frames from any of its outputs.
    private let takers: [[Int]]

    package init(_ plan: Plan) {
        renames = plan.nodes.map { $0.stage?.renamesStreams ?? false }
        let earlier = plan.nodes.map { min(max(0, $0.stage?.stampsEarlierByUs ?? 0), Timestamp.max.rawValue) }
        var takers: [[Int]] = plan.nodes.map { _ in [] }
        for (index, node) in plan.nodes.enumerated() { for edge in node.edges { takers[edge.from].append(index) } }
        self.takers = takers
        edgeCounts = plan.nodes.map(\.edges.count)
        for (index, node) in plan.nodes.enumerated() {
            sources.append(
                node.edges.reduce(into: node.edges.isEmpty ? [index] : []) { $0.formUnion(sources[$1.from]) })
            let most = node.edges.map { slack[$0.from] + earlier[$0.from] }.max() ?? 0
            slack.append(min(most, Timestamp.max.rawValue))
            isRenamed.append(renames[index] || node.edges.contains { isRenamed[$0.from] })
            receivesCountedFrames.append(node.edges.contains { countsInFlight($0) })
        }
    }

    /// For each node, whether it or a downstream node receives frames from several edges. O(nodes · edges).
    var leadsToJoin: [Bool] {
        var leads = edgeCounts.map { $0 > 1 }
        // Every node comes after the nodes that it receives frames from.
        for index in takers.indices.reversed() where takers[index].contains(where: { leads[$0] }) {
            leads[index] = true
        }
        return leads
    }

    /// Returns whether frames of an edge count as in flight: on this edge, or on an upstream edge if neither this edge nor an
    /// edge in between drops frames.
    func countsInFlight(_ edge: Plan.Edge) -> Bool {
        edge.policy.inFlight != nil || !edge.policy.drops && receivesCountedFrames[edge.from]
    }

    /// Returns the properties of the edges into a node. O(nodes + edges).
    func lanes(of node: Int, _ plan: Plan) -> [LaneTraits] {
        let parts = parts(without: node)
        let edges = plan.nodes[node].edges
        // Whether a consumer of the node is connected to one of the node's producers on another path too. If so, the node must
        // not stop reading any edge: the consumer may have stopped reading the other path until the node emits, and then the
        // node's other edges might never advance.
        let meetsAgain = takers[node].contains { taker in edges.contains { parts[$0.from] == parts[taker] } }
        return edges.enumerated().map { place, edge in
            LaneTraits(
                sources: sources[edge.from], isRenamed: isRenamed[edge.from], isLimited: countsInFlight(edge),
                mayWait: !meetsAgain
                    && !edges.enumerated().contains { $0 != place && parts[$1.from] == parts[edge.from] })
        }
    }

    /// Returns a number for each node. Two nodes have the same number if they are still connected when one node is removed.
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
