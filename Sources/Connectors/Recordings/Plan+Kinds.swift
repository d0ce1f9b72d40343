import Pipeline

extension Plan {
    /// The kinds of payloads that the nodes accept and produce, and those that ship with the project.
    var kinds: [PayloadKind] {
        let own = nodes.flatMap { [$0.input, $0.output] }.compactMap { $0.flatMap(PayloadKind.init(of:)) }
        return (own + PayloadKind.standard).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}
