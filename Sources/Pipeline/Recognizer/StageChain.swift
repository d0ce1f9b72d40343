/// Stages one behind the other, made in Swift.
///
/// ```swift
/// let chain = StageChain(Resample(points: 64)).through(Normalize()).through(Vectorize())
/// ```
public struct StageChain<Input: Payload, Output: Payload>: Sendable {
    let stages: [any Stage]

    /// Begins a chain.
    public init<S: Stage>(_ stage: S) where S.Input == Input, S.Output == Output { stages = [stage] }

    private init(stages: [any Stage]) { self.stages = stages }

    /// The chain with another stage behind it.
    public func through<S: Stage>(_ stage: S) -> StageChain<Input, S.Output> where S.Input == Output {
        StageChain<Input, S.Output>(stages: stages + [stage])
    }

    /// The stages with their names: that of their type, numbered from the second of a name on.
    var named: [(id: String, component: String, stage: any Stage)] {
        var counts: [String: Int] = [:]
        return stages.map { stage in
            let name = String(describing: Swift.type(of: stage))
            let count = counts[name, default: 0] + 1
            counts[name] = count
            return (count == 1 ? name : "\(name)-\(count)", name, stage)
        }
    }

    /// The chain as a plan: the source `input`, and each stage under its name.
    ///
    /// - Parameter live: How the edge behind the source behaves in live mode.
    func plan(mode: Mode, live: EdgePolicy) -> Plan {
        let input = PortType(Input.self)
        var nodes = [
            Plan.Node(
                id: "input", component: "input", body: .source(CallSource(CallPort<Input>()), Plan.SourceRules()),
                output: input)
        ]
        var type = input
        for (id, name, stage) in named {
            let isFirst = nodes.count == 1
            let edge = Plan.Edge(from: nodes.count - 1, policy: isFirst && mode == .live ? live : EdgePolicy())
            let output = stage.output(for: type)
            nodes.append(
                Plan.Node(
                    id: id, component: name, body: .stage(stage), input: type, output: output, edges: [edge]))
            type = output
        }
        return Plan(mode: mode, nodes: nodes)
    }
}
