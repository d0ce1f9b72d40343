import Pipeline

/// The pure stages directly upstream of a stage: the longest chain of pure, synchronous stages that have one input each.
public struct PureRun: Sendable {
    /// The stages, first to last, as created for this graph.
    public let stages: [any Stage]

    /// The input of the first stage, or of the stage itself if the chain is empty.
    public let input: PortType?

    /// The `id` of the component upstream of the chain. An error names it if the chain cannot process the gestures of a library.
    public let above: String?

    /// Creates a chain.
    public init(stages: [any Stage], input: PortType?, above: String?) {
        self.stages = stages
        self.input = input
        self.above = above
    }

    /// Sends one payload through new instances of the stages, and returns their output.
    ///
    /// - Throws: Errors of the stages. A configuration error if the types do not fit.
    public func prepare<Input: Payload, Output: Payload>(_ payload: Input, as output: Output.Type) throws -> Output {
        var value: any Payload = payload
        for stage in stages { value = try Self.apply(stage, to: value) }
        guard let result = value as? Output else {
            throw PipelineError(
                .configuration, "graph.type_mismatch",
                "the upstream stages make \(type(of: value).kind), not \(Output.kind)")
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
