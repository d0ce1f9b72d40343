extension Plan {
    /// The same pipeline with a source's frames coming from somewhere else: any asynchronous sequence of frames.
    ///
    /// ```swift
    /// let run = Run(try plan.replacing("camera", with: frames))
    /// ```
    ///
    /// - Throws: A configuration error when there is no such source, or it brings something else.
    public func replacing<Frames: AsyncSequence, P: Payload>(
        _ id: String, with frames: sending Frames
    ) throws -> Plan where Frames.Element == Frame<P> {
        let old = try source(id, bringing: PortType(P.self))
        return try replacing(id, source: SequenceSource(frames, output: old.output, timing: old.timing))
    }

    /// The same pipeline with another source in the place of one of its own. What the configuration says of that one's
    /// timestamps and errors holds for the new one.
    ///
    /// - Throws: A configuration error when there is no such source, or it brings something else.
    public func replacing(_ id: String, source: any Source) throws -> Plan {
        _ = try self.source(id, bringing: source.output)
        var plan = self
        for index in nodes.indices where nodes[index].id == id {
            guard case .source(_, let rules) = nodes[index].body else { continue }
            plan.nodes[index].body = .source(source, rules)
        }
        return plan
    }

    /// The same pipeline with other sinks.
    ///
    /// - Parameter other: The sink to put in a node's place, which must take the same payload; `nil` keeps the node's own.
    public func replacingSinks(_ other: (Node, any Sink) -> (any Sink)?) -> Plan {
        var plan = self
        for index in nodes.indices {
            guard case .sink(let sink) = nodes[index].body, let sink = other(nodes[index], sink) else { continue }
            plan.nodes[index].body = .sink(sink)
        }
        return plan
    }

    private func source(_ id: String, bringing output: PortType) throws -> any Source {
        guard let node = nodes.first(where: { $0.id == id }), case .source(let source, _) = node.body else {
            throw PipelineError(
                .configuration, "plan.no_such_source", "there is no source \"\(id)\"",
                help: suggestion(
                    for: id, among: nodes.filter { $0.edges.isEmpty }.map(\.id), list: "sources"))
        }
        guard source.output.isSamePayload(as: output) else {
            throw PipelineError(
                .configuration, "plan.wrong_payload", "\(id) brings \(source.output.kind), not \(output.kind)")
        }
        return source
    }
}
