import Pipeline

extension Plan {
    /// What its nodes take and make, and what ships with the project.
    var kinds: [PayloadKind] {
        let own = nodes.flatMap { [$0.input, $0.output] }.compactMap { $0.flatMap(PayloadKind.init(of:)) }
        return (own + PayloadKind.standard).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}
