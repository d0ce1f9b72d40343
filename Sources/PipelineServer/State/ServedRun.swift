import Pipeline

/// A run as it is looked at from outside, and what is known of it beforehand.
struct ServedRun: Sendable {
    let run: Run
    let plan: Plan
    let watch: RunWatch
    let identity: RunIdentity
    /// When it began, in milliseconds since 1970.
    let started: Int64

    /// The edges of the configuration, as they stand at their receivers.
    let edges: [ServedEdge]

    /// For each node of the plan: the node whose task runs it.
    let tasks: [String: String]

    init(_ run: Run, _ plan: Plan, _ watch: RunWatch, _ identity: RunIdentity) {
        (self.run, self.plan, self.watch, self.identity) = (run, plan, watch, identity)
        started = WallClock.milliseconds
        edges = plan.nodes.indices.flatMap { to in
            plan.nodes[to].edges.indices.map { ServedEdge(plan, to: to, place: $0) }
        }
        var tasks: [String: String] = [:]
        for (index, node) in plan.nodes.enumerated() {
            let isCalled = node.edges.count == 1 && plan.hop(into: index, edge: 0) == .directCall
            tasks[node.id] = isCalled ? tasks[plan.nodes[node.edges[0].from].id] ?? node.id : node.id
        }
        self.tasks = tasks
    }

    /// The places in the plan of the nodes whose frames show what passes at a node: its own, or those a sink takes from.
    func shown(at id: String) -> [Int] {
        guard let index = plan.nodes.firstIndex(where: { $0.id == id }) else { return [] }
        guard plan.nodes[index].output == nil else { return [index] }
        return plan.nodes[index].edges.filter { $0.port == .output }.map(\.from)
    }

    /// The places of the nodes whose output goes into sinks: what the pipeline is there for. Sources alone are no result.
    var results: [Int] { Self.results(of: plan).sorted() }

    static func results(of plan: Plan) -> Set<Int> {
        let sinks = plan.nodes.filter { $0.output == nil }
        let before = Set(sinks.flatMap { $0.edges.filter { $0.port == .output }.map(\.from) })
        return before.filter { !plan.nodes[$0].edges.isEmpty }
    }
}
