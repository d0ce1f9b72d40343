import Pipeline
import PipelineComponents

/// The types and policies of edges, and the components upstream and downstream of a component.
extension GraphChecker {
    /// Returns the input type of a component. Returns `nil` if the type of an edge is unknown. If the edges have different types,
    /// reports a finding and returns `nil`.
    func input(of index: Int) -> PortType? {
        let edges = resolver.edges[index]
        for edge in edges {
            checkDropping(edge, into: index)
            checkLiveKeys(edge, into: index)
        }
        guard !resolver.isIncomplete[index] else { return nil }
        let types = edges.compactMap { type(of: $0) }
        guard types.count == edges.count, var merged = types.first else { return nil }
        guard types.allSatisfy({ $0.isSamePayload(as: merged) }) else {
            let list = zip(edges, types).map { "\(name(of: $0)) makes \($1.kind)" }
            let component = description.components[index]
            findings.error(
                "graph.merged_types", "edges of one join must carry one type: " + list.joined(separator: ", "),
                at: edges.lazy.compactMap(\.reference.span).first ?? component.nameSpan, path: component.path)
            return nil
        }
        // Keep only the attributes that have the same value on every edge.
        merged.attributes = merged.attributes.filter { name, value in types.allSatisfy { $0.attributes[name] == value }
        }
        return merged
    }

    func type(of edge: GraphResolver.Edge) -> PortType? {
        edge.reference.port == .errors ? PortType(FailedFrame.self) : built[edge.from].output
    }

    func name(of edge: GraphResolver.Edge) -> String {
        description.components[edge.from].id + (edge.reference.port == .errors ? ".errors" : "")
    }

    /// Reports an edge that is configured to drop frames that continue one another, such as the pieces of a stroke.
    func checkDropping(_ edge: GraphResolver.Edge, into index: Int) {
        guard let type = type(of: edge), type.payload.continuity == .continues else { return }
        let written = edge.reference.written
        let policy = self.policy(of: edge, into: index)
        // By default, a live edge for pieces of strokes drops whole strokes. Only an explicitly configured policy is an error.
        let isWritten = written.onFull != nil || written.inFlight != nil
        guard isWritten, policy.drops else { return }
        findings.error(
            "graph.drop_continues", "\(type.kind) frames continue one another, so none can be dropped",
            at: edge.reference.span, path: edge.reference.path,
            label: "on_full: \(policy.onFull.rawValue)", help: "use on_full: wait or on_full: fail")
    }

    /// Reports edges of a batch pipeline with keys that exist only in live mode, edges with a timeout for frames in flight but no
    /// limit on them, and edges that cannot hold any frame.
    func checkLiveKeys(_ edge: GraphResolver.Edge, into index: Int) {
        let written = edge.reference.written
        func span(_ key: String) -> SourceSpan? {
            edge.reference.keys.first { $0.name == key }?.span ?? edge.reference.span
        }
        for key in ["in_flight", "timeout_ms", "idle_timeout_ms"] where description.options.mode == .batch {
            guard edge.reference.keys.contains(where: { $0.name == key }) else { continue }
            findings.error(
                "graph.live_only", "\(key) exists in live mode only, and this pipeline's mode is batch",
                at: span(key), path: "\(edge.reference.path).\(key)", help: "write mode: live, or leave \(key) out")
        }
        if description.options.mode == .live, written.timeoutMs != nil, policy(of: edge, into: index).inFlight == nil {
            findings.warning(
                "config.no_effect", "timeout_ms has no effect: nothing limits the frames in flight of this edge",
                at: span("timeout_ms"), path: "\(edge.reference.path).timeout_ms",
                help: "give the edge in_flight, or leave timeout_ms out")
        }
        guard written.capacity == 0, policy(of: edge, into: index).inFlight == nil else { return }
        findings.error(
            "graph.no_capacity", "an edge with capacity 0 passes no frame", at: span("capacity"),
            path: "\(edge.reference.path).capacity", help: "give it a capacity, or in_flight in live mode")
    }

    func leavesSource(_ edge: GraphResolver.Edge) -> Bool {
        description.components[edge.from].role == .source
    }

    /// Returns the policy of an edge: the configured values and, for all others, the defaults of the mode.
    func policy(of edge: GraphResolver.Edge, into index: Int) -> EdgePolicy {
        var base = EdgePolicy.standard(description.options.mode)
        if isLive(edge) {
            base = description.options.live.defaults.policy(
                toSink: description.components[index].role == .sink,
                type(of: edge)?.payload.continuity ?? .standsAlone)
        }
        return edge.reference.written.policy(over: base)
    }

    /// Returns whether an edge leaves a source of a live pipeline.
    func isLive(_ edge: GraphResolver.Edge) -> Bool {
        description.options.mode == .live && leavesSource(edge)
    }

    /// Lets an edge to a sink drop frames if the sink could otherwise block another sink, unless the configuration specifies a
    /// policy for the edge.
    func letSinkEdgesDrop(_ plan: inout Plan) {
        let components = Dictionary(uniqueKeysWithValues: place.map { ($1, $0) })
        plan.letSinkEdgesDrop { node, place, dropping in
            guard let written = components[node].map({ resolver.edges[$0][place].reference.written }),
                written.onFull == nil, written.inFlight == nil
            else { return nil }
            return written.policy(over: dropping)
        }
    }

    // MARK: - Dropped frames

    /// Returns the reasons for which frames can be dropped at a component.
    ///
    /// - Parameter joins: Whether the component may align its edges.
    func dropReasons(_ entry: Registry.Entry?, joins: Bool) -> [DropReason] {
        (entry?.manifest.drops ?? [])
            + DropReason.ofEngine.filter { $0 != .edgeFull && (joins || $0 != .unmatched) }
    }

    /// Returns the incoming edges of a component, with the reasons for which each can drop frames.
    ///
    /// - Parameter plan: The plan, which has the final policies; `nil` if there is none because of errors.
    func droppingPlaces(before index: Int, in plan: Plan?) -> [TestParser.Place] {
        let planned = plan.flatMap { plan in place[index].map { plan.nodes[$0].edges } }
        return resolver.edges[index].enumerated().map { number, edge in
            let mayDrop = planned?[number].policy.drops ?? true
            let unused: [DropReason] = mayDrop ? [.unmatched] : [.unmatched, .edgeFull, .interruptedStroke]
            return .init(
                id: "\(name(of: edge)) -> \(description.components[index].id)",
                drops: DropReason.ofEngine.filter { !unused.contains($0) })
        }
    }

    // MARK: - Edges and neighbors

    /// Returns the incoming edges of a component in the plan. Edges from components without a node in the plan are left out.
    func edges(of index: Int) -> [Plan.Edge] {
        resolver.edges[index].compactMap { edge in
            place[edge.from].map {
                Plan.Edge(
                    from: $0, port: edge.reference.port, policy: policy(of: edge, into: index),
                    isExplicit: edge.reference.isExplicit || isLive(edge))
            }
        }
    }

    /// Returns the pure stages directly upstream of a component, first to last.
    func pureStages(above index: Int) -> [Int] {
        var stages: [Int] = []
        var current = index
        while resolver.edges[current].count == 1, let edge = resolver.edges[current].first,
            edge.reference.port == .output, case .stage? = built[edge.from].node?.body,
            let above = registry.entry(description.components[edge.from].name, .stage), above.manifest.isPure
        {
            stages.insert(edge.from, at: 0)
            current = edge.from
        }
        return stages
    }

    /// Returns the chain of pure stages directly upstream of a component, and the type that enters the chain.
    func pureRun(_ stages: [Int], above index: Int, input: PortType?) -> PureRun {
        let nodes = stages.compactMap { built[$0].node }
        let above = resolver.edges[stages.first ?? index].first.map { name(of: $0) }
        return PureRun(
            stages: nodes.compactMap(\.stage),
            input: nodes.isEmpty ? input : nodes[0].input, above: above)
    }

    /// Warns about components whose output, or whose errors output, has no consumer.
    func reportUnused() {
        guard !resolver.hasCycle else { return }
        var taken: Set<Int> = []
        var takenErrors: Set<Int> = []
        for edge in resolver.edges.joined() {
            if edge.reference.port == .errors { takenErrors.insert(edge.from) } else { taken.insert(edge.from) }
        }
        for (index, component) in description.components.enumerated() where !component.isBroken {
            guard component.role != .sink else { continue }
            if !taken.contains(index), !mayBeTaken(index) {
                findings.warning(
                    "graph.unused", "the output of \"\(component.id)\" is not used", at: component.idSpan,
                    path: component.path,
                    help: description.indices(of: .sink).isEmpty
                        ? "add a list of sinks" : "name it in the from of another component")
            }
            if component.onError == .route, !takenErrors.contains(index), !mayBeTaken(index) {
                findings.warning(
                    "graph.unused_errors", "the errors of \"\(component.id)\" are not used", at: component.idSpan,
                    path: component.path, help: "name \(component.id).errors in the from of a sink")
            }
        }
    }

    /// Returns whether a later component refers to an unknown name. That name may be a misspelling of this component's `id`, so
    /// the component is not reported as unused.
    func mayBeTaken(_ index: Int) -> Bool {
        description.components.indices.contains { $0 > index && resolver.isIncomplete[$0] }
    }
}
