/// The checks of a plan before it runs. A configuration has been checked more closely when it was read, but a plan may also be made
/// in Swift.
extension Plan {
    /// Checks the inputs of all nodes, the policies of all edges, and the alignments.
    ///
    /// - Throws: A configuration error that names the node or the edge, and what it must be.
    func check() throws(PipelineError) {
        for (index, node) in nodes.enumerated() {
            guard node.body.role == .source || !node.edges.isEmpty,
                node.edges.allSatisfy({ (0..<index).contains($0.from) })
            else {
                throw PipelineError(
                    .configuration, "plan.no_input",
                    node.edges.isEmpty
                        ? "\(node.id) receives from no node" : "\(node.id) receives from no node before it",
                    help: "name nodes that were added before \(node.id)")
            }
            for edge in node.edges {
                guard let fault = edge.policy.fault else { continue }
                throw PipelineError(
                    .configuration, "graph.edge_policy", "the edge \(nodes[edge.from].id) → \(node.id): \(fault)",
                    help: "change its EdgePolicy")
            }
            if let tolerance = node.alignment?.toleranceMs, !(0...1e9).contains(tolerance) {
                throw PipelineError(
                    .configuration, "graph.alignment",
                    "\(node.id): toleranceMs is \(tolerance), but must be from 0 to 1000000000",
                    help: "change its Alignment")
            }
        }
    }
}

extension EdgePolicy {
    /// What is wrong with the policy; `nil` if nothing is. The limits are the same as in a configuration.
    fileprivate var fault: String? {
        // Without `inFlight`, an edge with capacity 0 passes no frame.
        let counts = [("capacity", capacity, inFlight == nil ? 1 : 0), ("inFlight", inFlight ?? 1, 1)]
        for (name, count, least) in counts where !(least...1_000_000).contains(count) {
            return "\(name) is \(count), but must be from \(least) to 1000000"
        }
        let times = [
            ("capacityMs", capacityMs, 1_000_000_000_000), ("timeoutMs", timeoutMs, 1_000_000_000),
            ("idleTimeoutMs", idleTimeoutMs, 1_000_000_000),
        ]
        for (name, time, most) in times {
            guard let time, !(0.001...Double(most)).contains(time) else { continue }
            return "\(name) is \(time), but must be from 0.001 to \(most)"
        }
        return nil
    }
}
