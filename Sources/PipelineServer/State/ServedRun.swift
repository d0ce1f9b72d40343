import Pipeline

/// A run that is served, with the facts about its plan that do not change during the run.
struct ServedRun: Sendable {
    let run: Run
    let plan: Plan
    let watch: RunWatch
    let identity: RunIdentity
    /// The start time, in milliseconds since 1970.
    let started: Int64

    /// The edges of the plan, grouped by their downstream node.
    let edges: [ServedEdge]

    /// For each node of the plan, by its `id`, the `id` of the first node of the task that runs it.
    let tasks: [String: String]

    /// The points at which the output of nodes is observed, by the index of the node in the plan.
    var points: [Int: WatchPoint] { watch.points(of: plan) }

    init(_ run: Run, _ plan: Plan, _ watch: RunWatch, _ identity: RunIdentity, started: Int64? = nil) {
        (self.run, self.plan, self.watch, self.identity) = (run, plan, watch, identity)
        self.started = started ?? ServerClock.milliseconds
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

    /// Returns the nodes to observe in order to see a node's frames, by their indices in the plan: the node itself or, for a sink,
    /// which has no output, the nodes directly upstream of it.
    func shown(at id: String) -> [Int] {
        guard let index = plan.nodes.firstIndex(where: { $0.id == id }) else { return [] }
        guard plan.nodes[index].output == nil else { return [index] }
        return plan.nodes[index].edges.filter { $0.port == .output }.map(\.from)
    }

    /// Returns the nodes whose output passes a node: itself or, for a sink, the nodes directly upstream of it; `nil` if there is no
    /// such node.
    func emitters(at id: String) -> [String]? {
        plan.nodes.contains { $0.id == id } ? shown(at: id).map { plan.nodes[$0].id } : nil
    }

    /// The indices in the plan of the nodes whose output is a result: all nodes directly upstream of sinks, except sources.
    var results: [Int] { Self.results(of: plan).sorted() }

    static func results(of plan: Plan) -> Set<Int> {
        let sinks = plan.nodes.filter { $0.output == nil }
        let before = Set(sinks.flatMap { $0.edges.filter { $0.port == .output }.map(\.from) })
        return before.filter { !plan.nodes[$0].edges.isEmpty }
    }
}

extension RunWatch {
    /// Returns the points at which the output of nodes is observed, by the index of the node in a plan.
    func points(of plan: Plan) -> [Int: WatchPoint] {
        let points = points
        return Dictionary(
            uniqueKeysWithValues: plan.nodes.indices.compactMap { index in
                points[plan.nodes[index].id].map { (index, $0) }
            })
    }
}
