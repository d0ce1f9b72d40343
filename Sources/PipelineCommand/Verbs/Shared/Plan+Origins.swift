import Pipeline

extension Plan {
    /// An output of a node.
    struct Origin: Hashable {
        let node: Int
        let port: Port
    }
}

extension Plan.Node {
    /// The outputs whose frames the node receives, in the order of its edges.
    var origins: [Plan.Origin] { edges.map { Plan.Origin(node: $0.from, port: $0.port) } }
}
