import Pipeline

/// A drawing of a plan: its nodes, the types on its edges, what happens when an edge is full, and whether the edge can block its
/// producer.
public struct GraphDrawing: Sendable {
    /// The output format.
    public enum Format: String, CaseIterable, Sendable {
        /// For a terminal.
        case text
        /// For Graphviz.
        case dot
        /// For Markdown.
        case mermaid
    }

    private let plan: Plan

    /// Creates a drawing of `plan`.
    public init(_ plan: Plan) { self.plan = plan }

    /// Returns the drawing, with a line break at the end.
    public func draw(_ format: Format) -> String {
        switch format {
        case .text: text()
        case .dot: dot()
        case .mermaid: mermaid()
        }
    }

    // MARK: - Text

    private func text() -> String {
        var output = "\(plan.name.shown) (\(plan.mode.rawValue))\n"
        for (index, node) in plan.nodes.enumerated() {
            output += "\n\(node.body.role.rawValue) \(label(of: node))"
            if let made = node.output { output += " → \(made)" }
            if let rest = notes(on: node) { output += "  [\(rest)]" }
            output += "\n"
            for chain in chain(of: node) { output += "  ↻ \(chain)\n" }
            for (place, edge) in node.edges.enumerated() {
                output += "  ← \(origin(of: edge)): \(type(of: edge)), \(behavior(of: edge, place, into: index))\n"
            }
        }
        return output
    }

    private func notes(on node: Plan.Node) -> String? {
        var notes: [String] = []
        if let alignment = alignment(of: node) { notes.append(alignment) }
        if let workers = node.workers { notes.append("workers: \(workers)") }
        if node.onError != .fail { notes.append("on_error: \(node.onError.rawValue)") }
        if case .source(_, let rules) = node.body, rules.onDisorder != .error {
            notes.append("on_disorder: \(rules.onDisorder.rawValue)")
        }
        return notes.isEmpty ? nil : notes.joined(separator: ", ")
    }

    /// Returns how a node aligns its edges: `aligned: approximate within 20 ms`; `nil` if the node does not align them.
    private func alignment(of node: Plan.Node) -> String? {
        guard let alignment = node.alignment else { return nil }
        var text = "aligned: \(alignment.rule.rawValue)"
        if alignment.rule == .approximate { text += " within \(shortDecimal(alignment.toleranceMs)) ms" }
        if alignment.pair == .time { text += ", pair: time" }
        return text
    }

    /// Returns the chain that a node runs on the parts of its frames: `landmarks → gate → smooth → landmarks`; empty if there is
    /// none.
    private func chain(of node: Plan.Node) -> [String] {
        guard let chain = (node.stage as? any NestingStage)?.chain else { return [] }
        let stages = chain.nodes.map { $0.id == $0.component ? $0.id : "\($0.id): \($0.component)" }
        return ["\(chain.input) → \(stages.joined(separator: " → ")) → \(chain.output)"]
    }

    private func behavior(of edge: Plan.Edge, _ place: Int, into node: Int) -> String {
        guard plan.hop(into: node, edge: place) == .queue else { return "direct call" }
        let sender = plan.nodes[edge.from].id
        let room = room(of: edge.policy)
        let idle = edge.policy.idleTimeoutMs.map { "; not waited for after \(shortDecimal($0)) ms of silence" } ?? ""
        return queueBehavior(edge, room, sender) + idle
    }

    private func queueBehavior(_ edge: Plan.Edge, _ room: String, _ sender: String) -> String {
        if let slots = edge.policy.inFlight {
            return "\(slots) in flight, \(room) of each stream waiting; "
                + (edge.policy.onFull == .wait ? "when full, \(sender) waits" : "when full, \(loss(edge))")
        }
        return switch edge.policy.onFull {
        case .wait: "queue of \(room); when full, \(sender) waits"
        case .dropOldest: "queue of \(room); when full, the oldest frame is dropped"
        case .dropNewest: "queue of \(room); when full, the new frame is dropped"
        case .fail: "queue of \(room); when full, the run fails"
        }
    }

    private func loss(_ edge: Plan.Edge) -> String {
        switch edge.policy.onFull {
        case .fail: "the run fails"
        case .dropOldest where edge.policy.capacity > 0: "the oldest of its stream is dropped"
        default: "the new frame is dropped"
        }
    }

    private func room(of policy: EdgePolicy) -> String {
        let frames = policy.capacity == 1 ? "1 frame" : "\(policy.capacity) frames"
        return policy.capacityMs.map { "\(frames) or \(shortDecimal($0)) ms" } ?? frames
    }

    // MARK: - DOT and Mermaid

    private func dot() -> String {
        var output = "digraph \(Self.quoted(plan.name)) {\n"
        output += "  rankdir=LR;\n  node [fontname=\"sans-serif\"];\n  edge [fontname=\"sans-serif\", fontsize=10];\n"
        for (index, node) in plan.nodes.enumerated() {
            let shape =
                switch node.body.role {
                case .source: "cds"
                case .stage: "box"
                case .sink: "house"
                }
            output += "  n\(index) [shape=\(shape), label=\(Self.quoted(drawnLabel(of: node)))];\n"
        }
        for (index, node) in plan.nodes.enumerated() {
            for (place, edge) in node.edges.enumerated() {
                // On a solid edge, the producer may have to wait. On a dashed edge it never waits, but frames may be dropped.
                let style = plan.mayStall(into: index, edge: place) ? "solid" : "dashed"
                output +=
                    "  n\(edge.from) -> n\(index) [style=\(style), label=\(Self.quoted(edgeLabel(edge, place, into: index)))];\n"
            }
        }
        return output + "}\n"
    }

    private func mermaid() -> String {
        var output = "flowchart LR\n"
        for (index, node) in plan.nodes.enumerated() {
            let text = Self.mermaidText(drawnLabel(of: node))
            let shape =
                switch node.body.role {
                case .source: "([\"\(text)\"])"
                case .stage: "[\"\(text)\"]"
                case .sink: "[/\"\(text)\"/]"
                }
            output += "  n\(index)\(shape)\n"
        }
        for (index, node) in plan.nodes.enumerated() {
            for (place, edge) in node.edges.enumerated() {
                let arrow = plan.mayStall(into: index, edge: place) ? "-->" : "-.->"
                output +=
                    "  n\(edge.from) \(arrow)|\"\(Self.mermaidText(edgeLabel(edge, place, into: index)))\"| n\(index)\n"
            }
        }
        return output
    }

    private func edgeLabel(_ edge: Plan.Edge, _ place: Int, into node: Int) -> String {
        let type = edge.port == .errors ? "errors" : type(of: edge)
        guard edge.isExplicit, plan.hop(into: node, edge: place) == .queue else { return type }
        let slots = edge.policy.inFlight.map { "\($0) in flight, " } ?? ""
        return "\(type), \(slots)\(room(of: edge.policy)), \(edge.policy.onFull.rawValue)"
    }

    // MARK: - Names

    private func label(of node: Plan.Node) -> String {
        node.id == node.component ? node.id : "\(node.id): \(node.component)"
    }

    /// Returns the label of a node in DOT and Mermaid, which includes its alignment and its chain.
    private func drawnLabel(of node: Plan.Node) -> String {
        ([label(of: node)] + (alignment(of: node).map { [$0] } ?? []) + chain(of: node)).joined(separator: ", ")
    }

    private func origin(of edge: Plan.Edge) -> String {
        plan.nodes[edge.from].id + (edge.port == .errors ? ".errors" : "")
    }

    private func type(of edge: Plan.Edge) -> String {
        edge.port == .errors ? FailedFrame.kind.rawValue : plan.nodes[edge.from].output?.description ?? "nothing"
    }

    private static func quoted(_ text: String) -> String {
        var output = "\""
        for character in text.shown {
            switch character {
            case "\"", "\\": output += "\\\(character)"
            default: output.append(character)
            }
        }
        return output + "\""
    }

    // Escapes are written as in HTML, but with # instead of &.
    private static func mermaidText(_ text: String) -> String {
        var output = ""
        for scalar in text.shown.unicodeScalars {
            switch scalar {
            case "\"", "<", ">", "&", "#", "|", "`": output += "#\(scalar.value);"
            default: output.unicodeScalars.append(scalar)
            }
        }
        return output
    }
}
