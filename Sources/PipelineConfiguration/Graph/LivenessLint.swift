import Pipeline
import PipelineComponents

/// Warns about parts of a plan that can block a live pipeline or are useless in it. They are allowed, but rarely intended.
struct LivenessLint {
    private let plan: Plan
    private let findings: Findings

    init(_ plan: Plan, findings: Findings) {
        self.plan = plan
        self.findings = findings
    }

    /// Reports all warnings. O(nodes · edges).
    func check() {
        guard plan.mode == .live else { return }
        checkWorkers()
        for (index, node) in plan.nodes.enumerated() {
            if node.source?.timing == .recorded { reportRecorded(node) }
            for edge in node.edges { checkWaiting(edge, into: node) }
            checkBranches(of: index)
            checkSink(index)
        }
    }

    private func reportRecorded(_ node: Plan.Node) {
        findings.warning(
            "live.recorded",
            "\"\(node.id)\" reads a recording as fast as it can, and a live pipeline drops what it cannot keep up with",
            at: node.span, path: "mode", help: "use mode: batch to process every frame")
    }

    private func checkWaiting(_ edge: Plan.Edge, into node: Plan.Node) {
        let from = plan.nodes[edge.from]
        guard case .source = from.body, edge.policy.onFull == .wait else { return }
        findings.warning(
            "live.waiting_edge",
            "when \"\(node.id)\" is slow, its edge fills and makes the live source \"\(from.id)\" wait",
            at: node.span, path: node.id,
            help: from.output?.payload.continuity == .continues
                ? "leave on_full out: the edge then drops whole strokes" : "let the edge drop: on_full: drop_oldest")
    }

    private func checkBranches(of index: Int) {
        let branches = plan.nodes.flatMap { node in
            node.edges.filter { $0.from == index && $0.port == .output }.map { (node: node, policy: $0.policy) }
        }
        guard let dropping = branches.first(where: \.policy.drops) else { return }
        for branch in branches where branch.policy.onFull == .wait && branch.node.body.role != .sink {
            findings.warning(
                "live.stalling_branch",
                "when \"\(branch.node.id)\" is slow, it makes \"\(plan.nodes[index].id)\" wait, and with it the branch to "
                    + "\"\(dropping.node.id)\"",
                at: branch.node.span, path: branch.node.id, help: "let its edge drop as well: on_full: drop_oldest")
        }
    }

    /// Warns about stages with more workers than frames that can be in flight, because some of the workers are always idle.
    private func checkWorkers() {
        // For each node, the maximum number of frames in flight that can reach it at the same time; `nil` for no limit.
        var limits: [Int?] = []
        for node in plan.nodes {
            let counts = node.edges.map { edge in
                edge.policy.inFlight ?? (edge.policy.drops ? nil : limits[edge.from])
            }
            let limit = counts.isEmpty || counts.contains(nil) ? nil : counts.compactMap(\.self).reduce(0, +)
            limits.append(limit)
            guard let workers = node.workers, let limit, limit < workers else { continue }
            findings.warning(
                "live.idle_workers",
                "\"\(node.id)\" has \(workers) workers, but at most \(limit == 1 ? "1 frame" : "\(limit) frames") "
                    + "can be in flight",
                at: node.span, path: node.id, help: "raise in_flight to \(workers): live: { in_flight: \(workers) }")
        }
    }

    /// Warns about a sink that can block other sinks, because its edge is configured to wait when it is full.
    private func checkSink(_ index: Int) {
        let node = plan.nodes[index]
        let starved = Stalls(plan).starved(by: index)
        guard let behind = starved.first?.behind else { return }
        let names = starved.map { "\"\(plan.nodes[$0.sink].id)\"" }.joined(separator: " and ")
        findings.warning(
            "live.stalling_sink",
            "when \"\(node.id)\" is stuck, it makes \"\(plan.nodes[behind].id)\" wait, and nothing reaches \(names)",
            at: node.span, path: node.id, help: "leave on_full out: the edge then drops instead of waiting")
    }
}
