import Pipeline

/// An edge of the configuration.
struct ServedEdge: Sendable {
    let from: String
    let to: String
    let isErrors: Bool
    let kind: String
    let policy: EdgePolicy
    let isDirect: Bool

    init(_ plan: Plan, to: Int, place: Int) {
        let edge = plan.nodes[to].edges[place]
        from = plan.nodes[edge.from].id
        self.to = plan.nodes[to].id
        isErrors = edge.port == .errors
        kind = isErrors ? FailedFrame.kind.rawValue : plan.nodes[edge.from].output?.kind.rawValue ?? ""
        policy = edge.policy
        isDirect = plan.hop(into: to, edge: place) == .directCall
    }

    /// The ledger's name for the start of the edge.
    var ledgerFrom: String { isErrors ? from + ".errors" : from }
}
