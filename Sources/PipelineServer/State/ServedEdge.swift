import Pipeline

/// An edge of the plan.
struct ServedEdge: Sendable {
    let from: String
    let to: String
    /// Whether the edge starts at the errors port of its node.
    let isErrors: Bool
    let kind: String
    let policy: EdgePolicy
    /// Whether the upstream task calls the downstream node directly, so that the edge has no queue and no counts in the ledger.
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

    /// The name that the ledger uses for the upstream end of the edge.
    var ledgerFrom: String { isErrors ? from + ".errors" : from }
}
