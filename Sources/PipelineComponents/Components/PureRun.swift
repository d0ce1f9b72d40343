import Pipeline

/// The longest run of pure, synchronous, one-input stages directly above a stage.
public struct PureRun: Sendable {
    /// The stages, first to last, as they were made for this graph.
    public let stages: [any Stage]

    /// What arrives at the first of them (or at the stage itself, when there is none).
    public let input: PortType?

    /// The `id` of the component above the run, which is in the way when `input` is not what a library holds.
    public let above: String?

    /// Describes a run.
    public init(stages: [any Stage], input: PortType?, above: String?) {
        self.stages = stages
        self.input = input
        self.above = above
    }

    /// The output of fresh instances of the stages for one payload.
    ///
    /// - Throws: What a stage throws; a configuration error when the types do not fit.
    public func prepare<Input: Payload, Output: Payload>(_ payload: Input, as output: Output.Type) throws -> Output {
        var value: any Payload = payload
        for stage in stages { value = try Self.apply(stage, to: value) }
        guard let result = value as? Output else {
            throw PipelineError(
                .configuration, "graph.type_mismatch",
                "the stages above make \(type(of: value).kind), not \(Output.kind)")
        }
        return result
    }

    private static func apply<S: Stage>(_ stage: S, to payload: any Payload) throws -> any Payload {
        guard let input = payload as? S.Input else {
            throw PipelineError(
                .configuration, "graph.type_mismatch", "a \(type(of: payload).kind) cannot be prepared by \(S.self)")
        }
        return try firstOutput(of: stage, for: Frame(input, at: .zero))
    }
}
