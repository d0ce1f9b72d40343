extension Plan {
    /// Returns the same pipeline with a source replaced by any asynchronous sequence of frames.
    ///
    /// ```swift
    /// let run = Run(try plan.replacing("camera", with: frames))
    /// ```
    ///
    /// - Throws: A configuration error if there is no such source, or if it emits another payload type.
    public func replacing<Frames: AsyncSequence, P: Payload>(
        _ id: String, with frames: sending Frames
    ) throws -> Plan where Frames.Element == Frame<P> {
        let old = try source(id, bringing: PortType(P.self))
        return try replacing(id, source: SequenceSource(frames, output: old.output, timing: old.timing))
    }

    /// Returns the same pipeline with one source replaced. The configured rules for timestamps and errors apply to the new source.
    ///
    /// - Throws: A configuration error if there is no such source, or if it emits another payload type.
    public func replacing(_ id: String, source: any Source) throws -> Plan {
        _ = try self.source(id, bringing: source.output)
        var plan = self
        for index in nodes.indices where nodes[index].id == id {
            guard case .source(_, let rules) = nodes[index].body else { continue }
            plan.nodes[index].body = .source(source, rules)
        }
        return plan
    }

    /// Returns the same pipeline with other sinks.
    ///
    /// - Parameter other: Returns the replacement for a node's sink, which must accept the same payload type; `nil` keeps the sink.
    public func replacingSinks(_ other: (Node, any Sink) -> (any Sink)?) -> Plan {
        var plan = self
        for index in nodes.indices {
            guard case .sink(let sink) = nodes[index].body, let sink = other(nodes[index], sink) else { continue }
            plan.nodes[index].body = .sink(sink)
        }
        return plan
    }

    private func source(_ id: String, bringing output: PortType) throws -> any Source {
        guard let source = nodes.first(where: { $0.id == id })?.source else {
            throw PipelineError(
                .configuration, "plan.no_such_source", "there is no source \"\(id)\"",
                help: suggestion(
                    for: id, among: nodes.filter { $0.edges.isEmpty }.map(\.id), list: "sources"))
        }
        guard source.output.isSamePayload(as: output) else {
            throw PipelineError(
                .configuration, "plan.wrong_payload", "\(id) emits \(source.output.kind), not \(output.kind)")
        }
        return source
    }
}
