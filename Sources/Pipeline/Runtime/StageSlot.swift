/// A stage of a segment before it has been copied for a stream: the prototype and where its nodes report.
struct StageSlot {
    let stage: any Stage
    let metrics: NodeMetrics
    let policy: ErrorPolicy
    let errors: Inlet<FailedFrame>?
    /// Whether it stands in a chain inside another stage, which answers for what it cannot process.
    var isNested = false

    /// Makes a node of it in front of `next`.
    ///
    /// - Throws: A defect when `next` does not take what the stage makes; the checker has ruled that out.
    func makeNode(stream: StreamID, next: AnyObject, context: SegmentContext) throws -> any ChainNode {
        try open(stage, stream: stream, next: next, context: context)
    }

    private func open<S: Stage>(
        _ stage: S, stream: StreamID, next: AnyObject, context: SegmentContext
    ) throws -> any ChainNode {
        guard let next = next as? Inlet<S.Output> else { throw PipelineError.mistypedEdge(metrics.id) }
        return StageNode(
            stage, stream: stream, next: next, errors: errors, metrics: metrics, policy: policy,
            isNested: isNested, context: context)
    }
}

extension PipelineError {
    /// Two nodes were joined whose types do not fit: a defect of the checker.
    static func mistypedEdge(_ node: String) -> PipelineError {
        PipelineError(.defect, "graph.mistyped_edge", "\(node) was joined to a node that does not take what it makes")
    }
}
