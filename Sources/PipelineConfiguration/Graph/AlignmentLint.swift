import Pipeline
import PipelineComponents

/// Finds stages with aligned inputs that could wait forever, that would rarely receive frames with matching timestamps, or that
/// join sources whose streams can move to other processes independently.
struct AlignmentLint {
    private let plan: Plan
    private let findings: Findings
    private let lineage: Lineage

    init(_ plan: Plan, findings: Findings) {
        self.plan = plan
        self.findings = findings
        lineage = Lineage(plan)
    }

    /// Reports all findings. O(nodes · edges).
    func check() {
        for (index, node) in plan.nodes.enumerated() {
            guard node.edges.count > 1, let alignment = node.alignment else {
                checkIneffectiveTimeout(node)
                continue
            }
            checkCommits(index)
            checkIdle(node)
            checkDrops(node, alignment)
            checkCapacity(node, alignment)
        }
    }

    /// Reports a stage that joins frames of several sources that take part in commit points. Each such source can pass its streams
    /// to another process, and that process continues without the frames of the other sources.
    private func checkCommits(_ index: Int) {
        let names = lineage.sources[index].sorted().filter { plan.nodes[$0].source?.commits ?? false }
        guard names.count > 1 else { return }
        let node = plan.nodes[index]
        findings.error(
            "graph.joined_commits",
            "\"\(node.id)\" joins frames of " + names.map { "\"\(plan.nodes[$0].id)\"" }.joined(separator: " and ")
                + ", and each of them can pass its streams to another process alone",
            at: node.span, path: node.id,
            help: "join the frames before they are written to a topic, or read all but one in another way")
    }

    private func checkIneffectiveTimeout(_ node: Plan.Node) {
        guard node.edges.contains(where: { $0.policy.idleTimeoutMs != nil }) else { return }
        findings.warning(
            "config.no_effect", "idle_timeout_ms has no effect: \"\(node.id)\" does not align its edges", at: node.span,
            path: node.id)
    }

    /// Warns, in a live pipeline, if no source is upstream of all edges of the node. Then one source can fall silent while the
    /// others continue, and the node emits nothing until that source sends again.
    private func checkIdle(_ node: Plan.Node) {
        guard plan.mode == .live else { return }
        let shared = node.edges.dropFirst().reduce(lineage.sources[node.edges[0].from]) {
            $0.intersection(lineage.sources[$1.from])
        }
        guard shared.isEmpty else { return }
        for edge in node.edges where edge.policy.idleTimeoutMs == nil {
            findings.warning(
                "live.aligned_silence",
                "when \"\(plan.nodes[edge.from].id)\" falls silent, \"\(node.id)\" waits for it and emits nothing",
                at: node.span, path: node.id,
                help: "set how long to wait: { id: \(plan.nodes[edge.from].id), idle_timeout_ms: 500 }")
        }
    }

    /// Warns about exact alignment of branches that drop frames independently: they rarely keep frames with the same timestamp.
    private func checkDrops(_ node: Plan.Node, _ alignment: Alignment) {
        guard alignment.rule == .exact else { return }
        let dropping = node.edges.map { droppingEdges(upTo: $0) }
        let common = dropping.dropFirst().reduce(dropping[0]) { $0.intersection($1) }
        let branches = node.edges.indices.filter { !dropping[$0].subtracting(common).isEmpty }
        guard branches.count > 1 else { return }
        let names = branches.map { "\"\(plan.nodes[node.edges[$0].from].id)\"" }.joined(separator: " and ")
        findings.warning(
            "graph.aligned_drops",
            "\"\(node.id)\" needs frames of the same time, but \(names) are downstream of edges that drop frames independently",
            at: node.span, path: node.id,
            help: "use align: approximate or align: latest, or drop before the branches split")
    }

    /// Identifies an edge that drops frames: the index of its downstream node, and the edge's index among that node's inputs.
    ///
    /// `droppingEdges(upTo:)` does not know the downstream node of the edge that it is given. For that edge, `into` is -1 and
    /// `place` is the index of the upstream node.
    private struct DroppingEdge: Hashable {
        let into: Int
        let place: Int
    }

    /// Returns the edges that drop frames: `edge` itself, and all edges upstream of it.
    private func droppingEdges(upTo edge: Plan.Edge) -> Set<DroppingEdge> {
        var found: Set<DroppingEdge> = []
        if edge.policy.drops { found.insert(DroppingEdge(into: -1, place: edge.from)) }
        var seen: Set<Int> = [edge.from]
        var waiting = [edge.from]
        while let index = waiting.popLast() {
            for (place, edge) in plan.nodes[index].edges.enumerated() {
                if edge.policy.drops { found.insert(DroppingEdge(into: index, place: place)) }
                if seen.insert(edge.from).inserted { waiting.append(edge.from) }
            }
        }
        return found
    }

    /// Checks branches of one source that are aligned again. Warns if the streams of a branch are renamed, or if the edge of a
    /// branch has too little room for the frames that wait while another branch is delayed.
    private func checkCapacity(_ node: Plan.Node, _ alignment: Alignment) {
        for (place, edge) in node.edges.enumerated() {
            let others = node.edges.indices.filter { $0 != place && sharesSource(edge, node.edges[$0]) }
            guard !others.isEmpty else { continue }
            if lineage.isRenamed[edge.from] {
                let room = others.map { node.edges[$0].policy.roomInJoin }.max() ?? 0
                findings.warning(
                    "graph.aligned_renamed",
                    "streams are renamed before \"\(plan.nodes[edge.from].id)\" passes them to \"\(node.id)\": their "
                        + "watermark is unknown between frames, so up to \(room) frames "
                        + "of the other edges wait for the next frame",
                    at: node.span, path: node.id, help: "rename streams at the source, or after \"\(node.id)\""
                )
            }
            // Frames of the first edge wait for nearer frames of the other edges. Meanwhile, if there are more than two edges, the
            // frames of an edge wait for those of another one.
            guard alignment.rule == .approximate, place == 0 || others.count > 1 else { continue }
            let room = edge.policy.roomInJoin
            let rate = Double(room) * 1000 / max(alignment.toleranceMs, 0.001)
            guard edge.policy.onFull == .wait, rate < Self.fastDevice else { continue }
            findings.warning(
                "graph.aligned_room",
                "\"\(node.id)\" can wait \(shortDecimal(alignment.toleranceMs)) ms for a frame that another branch drops, but "
                    + "the edge from \"\(plan.nodes[edge.from].id)\" has room for \(room) frames: above "
                    + "\(Int(rate)) frames per second, the run can end with run.deadlock",
                at: node.span, path: node.id,
                help: "lower tolerance_ms, or raise the capacity of the edge")
        }
    }

    // The frame rate, in frames per second, for which an edge should have enough room. Pens and cameras with this rate are common.
    private static let fastDevice = 250.0

    private func sharesSource(_ a: Plan.Edge, _ b: Plan.Edge) -> Bool {
        !lineage.sources[a.from].isDisjoint(with: lineage.sources[b.from])
    }
}
