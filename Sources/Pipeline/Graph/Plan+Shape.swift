extension Plan {
    /// The positions of the nodes that have an output.
    package var producers: [Int] { nodes.indices.filter { nodes[$0].output != nil } }

    /// What carries frames along an edge.
    public enum Hop: Sendable, Hashable {
        /// The receiving node is called directly by the one before it; nothing waits.
        case directCall

        /// Frames wait in a queue between two tasks.
        case queue
    }

    /// What carries frames along one edge of a node. A run is put together by the same answer.
    ///
    /// A queue exists only where the graph needs one: behind a source of stages, at a fan-out or a merge, where the
    /// configuration gave a policy, behind an output for errors, on either side of an asynchronous stage, before a stage with
    /// workers, behind one that renames streams, and before a sink that may block.
    public func hop(into node: Int, edge: Int) -> Hop { hop(into: node, edge: edge) { _ in false } }

    /// What carries frames along an edge when some nodes are read from outside the run.
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

    /// Whether a slow receiver makes the sender of an edge wait.
    public func mayStall(into node: Int, edge: Int) -> Bool {
        hop(into: node, edge: edge) == .directCall || nodes[node].edges[edge].policy.onFull == .wait
    }
}

extension Plan {
    /// What a component is.
    public enum Role: String, Sendable, CaseIterable {
        case source, stage, sink
    }
}

extension Plan.Body {
    /// What the node is.
    public var role: Plan.Role {
        switch self {
        case .source: .source
        case .stage, .asyncStage: .stage
        case .sink: .sink
        }
    }
}
