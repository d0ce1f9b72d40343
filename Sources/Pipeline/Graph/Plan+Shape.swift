extension Plan {
    /// The `id`s of the nodes that have an output.
    package var producers: [String] { nodes.filter { $0.output != nil }.map(\.id) }

    /// Whether a source takes part in commit points.
    var hasCommits: Bool { nodes.contains { $0.source?.commits ?? false } }

    /// The mechanism that carries frames along an edge.
    public enum Hop: Sendable, Hashable {
        /// The upstream node calls the receiving node directly; no frame waits.
        case directCall

        /// Frames wait in a queue between two tasks.
        case queue
    }

    /// Returns the mechanism that carries frames along one edge of a node. A run uses this mechanism.
    ///
    /// A queue exists only where the graph needs one: between a source and a stage, at a fan-out or a merge, where the
    /// configuration specifies a policy, after an error output, before and after an asynchronous stage, before an aligned stage,
    /// before a stage with workers, after a stage that renames streams or stamps frames earlier, and before a sink that may block.
    public func hop(into node: Int, edge: Int) -> Hop { hop(into: node, edge: edge) { _ in false } }

    /// Returns the mechanism that carries frames along an edge, given which nodes are read from outside the run.
    func hop(into node: Int, edge place: Int, isRead: (Int) -> Bool) -> Hop {
        let target = nodes[node]
        let edge = target.edges[place]
        guard target.edges.count == 1, edge.port == .output, !edge.isExplicit, !isRead(edge.from), target.workers == nil
        else { return .queue }
        let takers = nodes.reduce(0) { count, other in
            count + other.edges.count { $0.from == edge.from && $0.port == .output }
        }
        guard takers == 1 else { return .queue }
        switch (nodes[edge.from].body, target.body) {
        case (_, .asyncStage), (.asyncStage, _): return .queue
        case (_, .stage(let stage)) where stage is any AlignedStage: return .queue
        case (.stage(let stage), _) where stage.renamesStreams: return .queue
        case (_, .sink(let sink)): return sink.mayBlock ? .queue : .directCall
        case (.source, _): return .queue
        case (.stage(let stage), _) where stage.stampsEarlierByUs > 0: return .queue
        default: return .directCall
        }
    }

    /// Returns whether a slow consumer makes the producer of an edge wait (backpressure).
    public func mayStall(into node: Int, edge: Int) -> Bool {
        hop(into: node, edge: edge) == .directCall || nodes[node].edges[edge].policy.onFull == .wait
    }
}

extension Plan {
    /// The role of a component.
    public typealias Role = Ledger.Node.Role
}

extension Plan.Body {
    /// The role of the node.
    public var role: Plan.Role {
        switch self {
        case .source: .source
        case .stage, .asyncStage: .stage
        case .sink: .sink
        }
    }
}
