/// Determines which sinks a blocked sink starves. Backpressure makes the nodes upstream of the blocked sink wait, and other sinks
/// downstream of those nodes then receive nothing either.
package struct Stalls {
    private let plan: Plan

    package init(_ plan: Plan) { self.plan = plan }

    /// Returns the sinks that get no frames while the given sink is blocked, in the order of the plan. Each comes with the nearest
    /// node upstream of both sinks. O(nodes · edges).
    package func starved(by sink: Int) -> [(sink: Int, behind: Int)] {
        guard case .sink(let body) = plan.nodes[sink].body, body.mayBlock else { return [] }
        var found: [Int: Int] = [:]
        for node in waiting(for: sink) {
            for other in takers(of: node) where other != sink && plan.nodes[other].body.role == .sink {
                if found[other] == nil { found[other] = node }
            }
        }
        return found.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Returns all nodes that wait while a node is blocked, nearest first.
    private func waiting(for node: Int) -> [Int] {
        var reached: [Int] = []
        var next = [node]
        while !next.isEmpty {
            let edges = next.flatMap { plan.nodes[$0].edges }.filter { $0.policy.onFull == .wait }
            next = []
            for edge in edges where !reached.contains(edge.from) {
                reached.append(edge.from)
                next.append(edge.from)
            }
        }
        return reached
    }

    /// Returns all nodes downstream of a node.
    private func takers(of node: Int) -> [Int] {
        var reached: Set<Int> = [node]
        for (index, other) in plan.nodes.enumerated() where other.edges.contains(where: { reached.contains($0.from) }) {
            reached.insert(index)
        }
        return reached.subtracting([node]).sorted()
    }
}

extension Plan {
    /// Replaces the policies of the edges to each sink that could block another sink, so that these edges drop frames instead.
    /// Only for live pipelines.
    ///
    /// - Parameter policy: Returns the new policy of such an edge, given the index of the sink, the index of the edge at the sink,
    ///   and a default policy that drops; `nil` leaves the edge unchanged.
    package mutating func letSinkEdgesDrop(_ policy: (_ node: Int, _ place: Int, _ dropping: EdgePolicy) -> EdgePolicy?)
    {
        let stalls = Stalls(self)
        for index in nodes.indices where nodes[index].body.role == .sink && !stalls.starved(by: index).isEmpty {
            let continuity = nodes[index].input?.payload.continuity ?? .standsAlone
            let dropping = LiveDefaults().policy(toSink: true, continuity)
            for place in nodes[index].edges.indices {
                if let policy = policy(index, place, dropping) { nodes[index].edges[place].policy = policy }
            }
        }
    }
}
