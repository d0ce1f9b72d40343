extension NestedChain {
    /// A chain made in Swift.
    ///
    /// - Parameters:
    ///   - stages: The stages. They are called by the names of their types, numbered from the second of a name on.
    ///   - input: What is known of what arrives.
    public init<Input: Payload, Output: Payload>(
        _ stages: StageChain<Input, Output>, taking input: PortType = PortType(Input.self)
    ) {
        self.input = input
        for (id, component, stage) in stages.named {
            nodes.append(
                Node(
                    id: id, component: component, stage: stage, input: output, output: stage.output(for: output),
                    onError: nil, span: nil, path: ""))
        }
    }
}
