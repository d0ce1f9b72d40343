import Pipeline

/// Whether an edge dropped a frame: the edge's name, and the frame's stream, time and number.
package typealias DroppedThen = @Sendable (String, StreamID, Timestamp, Int64) -> Bool

extension Plan {
    /// The pipeline with edges that drop what they dropped when it was recorded, and nothing else.
    package func droppingAgain(_ dropped: @escaping DroppedThen) -> Plan {
        var plan = self
        plan.nodes = []
        var places: [Int] = []
        for node in nodes {
            var node = node
            for index in node.edges.indices {
                let edge = node.edges[index]
                node.edges[index].from = places[edge.from]
                guard edge.policy.drops else { continue }
                node.edges[index].policy = EdgePolicy(capacity: 1_000_000)
                guard edge.port == .output, let type = nodes[edge.from].output else { continue }
                let name = "\(nodes[edge.from].id) → \(node.id)"
                plan.nodes.append(
                    Node(
                        id: name, component: "drops", body: .stage(Self.stage(type.payload, name, dropped)),
                        input: type,
                        output: type, edges: [Edge(from: places[edge.from])], onError: .skip))
                node.edges[index].from = plan.nodes.count - 1
            }
            places.append(plan.nodes.count)
            plan.nodes.append(node)
        }
        return plan
    }

    private static func stage<P: Payload>(_ type: P.Type, _ edge: String, _ dropped: @escaping DroppedThen) -> any Stage
    {
        DropAgain<P>(edge: edge, dropped: dropped)
    }
}

/// Drops what an edge dropped when a run was recorded.
private struct DropAgain<P: Payload>: Stage {
    let edge: String
    let dropped: DroppedThen

    mutating func process(_ payload: consuming P, _ header: borrowing Header, into emitter: borrowing Emitter<P>) {
        guard dropped(edge, header.stream, header.timestamp, header.sequence) else { return emitter.emit(payload) }
        emitter.drop(.edgeFull)
    }
}
