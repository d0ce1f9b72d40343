/// The differences between the plan of a run and the plan with which the run continues after a reload.
public struct PlanChange: Sendable, Equatable {
    /// The new nodes, in the order of the new plan.
    public let added: [String]

    /// The nodes with another component or other connections, in the order of the new plan.
    public let changed: [String]

    /// The removed nodes, in the order of the old plan.
    public let removed: [String]

    /// The nodes that keep their components and the state of these components.
    let kept: Set<String>

    /// Returns whether a node gets a new component.
    package func isNew(_ id: String) -> Bool { !kept.contains(id) }

    /// Whether both plans have the same graph.
    public var isEmpty: Bool { added.isEmpty && changed.isEmpty && removed.isEmpty }

    /// Compares two plans.
    ///
    /// - Parameters:
    ///   - old: The plan of the run.
    ///   - new: The plan with which the run continues.
    ///   - same: The nodes whose components have the same configuration in both plans. A node in this set still counts as changed
    ///     if its component has a different type in the new plan.
    /// - Throws: `reload.needs_restart` if the plans differ in something that cannot change during a run: in a rule for the whole
    ///   run, in the role of a node, or, if a source commits, in any source or sink.
    public init(from old: Plan, to new: Plan, keeping same: Set<String>) throws {
        let before = Dictionary(old.nodes.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let ids = Set(new.nodes.map(\.id))
        kept = Set(
            new.nodes.filter { node in same.contains(node.id) && before[node.id].map(node.isLike) ?? false }.map(\.id))
        let reasons = Self.reasonsToRestart(old, new) + Self.committingParts(old, new, kept)
        guard reasons.isEmpty else {
            throw PipelineError(
                .configuration, "reload.needs_restart",
                "a running pipeline cannot change \(reasons.joined(separator: ", "))",
                help: "start it again, or change that back")
        }
        added = new.nodes.map(\.id).filter { before[$0] == nil }
        removed = old.nodes.map(\.id).filter { !ids.contains($0) }
        var changed: [String] = []
        for node in new.nodes {
            guard let other = before[node.id] else { continue }
            let isConnectedAlike = node.edges.elementsEqual(other.edges) {
                new.nodes[$0.from].id == old.nodes[$1.from].id && $0.port == $1.port && $0.policy == $1.policy
                    && $0.isExplicit == $1.isExplicit
            }
            if !kept.contains(node.id) || !isConnectedAlike { changed.append(node.id) }
        }
        self.changed = changed
    }

    /// Returns the sources and sinks that differ between the plans, if a source commits. None of them may change, because a commit
    /// covers all sources and sinks.
    private static func committingParts(_ old: Plan, _ new: Plan, _ kept: Set<String>) -> [String] {
        guard old.hasCommits || new.hasCommits else { return [] }
        let ends = (old.nodes + new.nodes).filter { $0.body.role != .stage && !kept.contains($0.id) }
        var ids: [String] = []
        for node in ends where !ids.contains(node.id) { ids.append(node.id) }
        return ids.map { "\"\($0)\", because a source commits offsets" }
    }

    private static func reasonsToRestart(_ old: Plan, _ new: Plan) -> [String] {
        var reasons: [String] = []
        if old.mode != new.mode { reasons.append("its mode") }
        if old.shutdownTimeoutMs != new.shutdownTimeoutMs { reasons.append("shutdown_timeout_ms") }
        if old.maxStreams != new.maxStreams { reasons.append("max_streams") }
        if old.streamIdleMs != new.streamIdleMs { reasons.append("stream_idle_ms") }
        if old.latenessMs != new.latenessMs { reasons.append("lateness_ms") }
        if old.onLate != new.onLate { reasons.append("on_late") }
        if old.watermarks != new.watermarks, old.mode == new.mode {
            reasons.append("whether an edge has in_flight")
        }
        for node in new.nodes
        where old.nodes.contains(where: { $0.id == node.id && ($0.alignment == nil) != (node.alignment == nil) }) {
            reasons.append("whether \"\(node.id)\" takes sets of frames")
        }
        let roles = Dictionary(old.nodes.map { ($0.id, $0.body.role) }, uniquingKeysWith: { first, _ in first })
        for node in new.nodes {
            guard let role = roles[node.id], role != node.body.role else { continue }
            reasons.append("\"\(node.id)\" from a \(role.rawValue) into a \(node.body.role.rawValue)")
        }
        return reasons
    }
}

extension Plan {
    /// How watermarks travel in a run of this plan: explicitly in a live run, and if any edge limits its frames in flight.
    var watermarks: Watermarks {
        let isLimited = nodes.contains { $0.edges.contains { $0.policy.inFlight != nil } }
        return mode == .live || isLimited ? .explicit : .implied
    }
}

extension Plan.Node {
    /// Returns whether this node can keep the component of another node, provided that both have the same configuration.
    fileprivate func isLike(_ other: Plan.Node) -> Bool {
        component == other.component && input.isSame(as: other.input) && output.isSame(as: other.output)
            && onError == other.onError
            && workers == other.workers && body.isLike(other.body)
    }
}

extension PortType? {
    fileprivate func isSame(as other: PortType?) -> Bool {
        self.map { ObjectIdentifier($0.payload) } == other.map { ObjectIdentifier($0.payload) }
            && self?.attributes == other?.attributes
    }
}

extension Plan.Body {
    fileprivate func isLike(_ other: Plan.Body) -> Bool {
        switch (self, other) {
        case (.source(let own, let rules), .source(let source, let others)):
            type(of: own) == type(of: source) && rules == others
        case (.stage(let own), .stage(let stage)): type(of: own) == type(of: stage)
        case (.asyncStage(let own), .asyncStage(let stage)): type(of: own) == type(of: stage)
        case (.sink(let own), .sink(let sink)): type(of: own) == type(of: sink)
        default: false
        }
    }
}
