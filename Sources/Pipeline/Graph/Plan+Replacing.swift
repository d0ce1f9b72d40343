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
        guard let index = nodes.firstIndex(where: { $0.id == id }), case .source(let old, let rules) = nodes[index].body
        else {
            throw PipelineError(
                .configuration, "plan.no_such_source", "there is no source \"\(id)\"",
                help: "sources: " + nodes.filter { $0.edges.isEmpty }.map(\.id).joined(separator: ", "))
        }
        guard old.output.isSamePayload(as: PortType(P.self)) else {
            throw PipelineError(
                .configuration, "plan.wrong_payload", "\(id) brings \(old.output.kind), not \(P.kind)")
        }
        var plan = self
        plan.nodes[index].body = .source(
            SequenceSource(frames, output: old.output, timing: old.timing), rules)
        return plan
    }
}
