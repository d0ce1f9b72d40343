extension NestedChain {
    /// Creates a chain from stages built in Swift.
    ///
    /// - Parameters:
    ///   - stages: The stages. Each is named after its component or type; further stages with the same name are numbered from 2.
    ///   - input: The port type of the input, with its known attributes.
    public init<Input: Payload, Output: Payload>(
        _ stages: StageChain<Input, Output>, taking input: PortType = PortType(Input.self)
    ) {
        self.input = input
        for (id, component, stage) in stages.named {
            nodes.append(
                Node(
                    id: id, component: component, stage: stage, input: output, output: stage.output(for: output),
                    onError: nil))
        }
    }
}
