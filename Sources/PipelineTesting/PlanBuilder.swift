import Pipeline

extension Plan {
    /// Returns an empty plan, to which nodes are added one by one. A node can only receive from nodes that were added before it:
    /// names of other nodes are ignored. The run of a stage or sink that receives from no node fails (`plan.no_input`).
    public static func building(mode: Mode = .batch) -> Plan { Plan(mode: mode, nodes: []) }

    /// Adds a source.
    public mutating func add(
        _ id: String, source: any Source, rules: SourceRules = SourceRules(), onError: ErrorPolicy = .fail
    ) {
        nodes.append(Node(id: id, component: id, body: .source(source, rules), output: source.output, onError: onError))
    }

    /// Adds a stage downstream of the named nodes, or of the node added last if no name is given. A name can end in `.errors`.
    public mutating func add<S: Stage>(
        _ id: String, stage: S, from: [String] = [], policy: EdgePolicy? = nil, onError: ErrorPolicy = .fail
    ) {
        let edges = edges(from: from, policy)
        let input = edges.first.flatMap { nodes[$0.from].output } ?? PortType(S.Input.self)
        nodes.append(
            Node(
                id: id, component: id, body: .stage(stage), input: input, output: stage.output(for: input),
                edges: edges, onError: onError))
    }

    /// Adds an asynchronous stage downstream of the named nodes, or of the node added last if no name is given. A name can end in
    /// `.errors`.
    public mutating func add<S: AsyncStage>(
        _ id: String, asyncStage stage: S, from: [String] = [], policy: EdgePolicy? = nil, onError: ErrorPolicy = .fail
    ) {
        let edges = edges(from: from, policy)
        let input = edges.first.flatMap { nodes[$0.from].output } ?? PortType(S.Input.self)
        nodes.append(
            Node(
                id: id, component: id, body: .asyncStage(stage), input: input, output: stage.output(for: input),
                edges: edges, onError: onError))
    }

    /// Adds a sink downstream of the named nodes, or of the node added last if no name is given. A name can end in `.errors`.
    public mutating func add<S: Sink>(
        _ id: String, sink: S, from: [String] = [], policy: EdgePolicy? = nil, onError: ErrorPolicy = .fail
    ) {
        nodes.append(
            Node(
                id: id, component: id, body: .sink(sink), input: PortType(S.Input.self),
                edges: edges(from: from, policy), onError: onError))
    }

    private func edges(from names: [String], _ policy: EdgePolicy?) -> [Edge] {
        let names = names.isEmpty ? nodes.last.map { [$0.id] } ?? [] : names
        return names.compactMap { name in
            let isErrors = name.hasSuffix(".errors")
            let id = isErrors ? String(name.dropLast(7)) : name
            return nodes.firstIndex { $0.id == id }.map { index in
                Edge(
                    from: index, port: isErrors ? .errors : .output, policy: policy ?? EdgePolicy(),
                    isExplicit: policy != nil)
            }
        }
    }
}
