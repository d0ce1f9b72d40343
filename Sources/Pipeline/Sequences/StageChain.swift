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

    /// Adds the stages to a graph.
    func append(to flow: Flow<Input>) -> Flow<Output> {
        let last = stages.reduce(flow.node) { flow.graph.append($1, behind: $0) }
        return Flow(graph: flow.graph, node: last)
    }

    /// The stages with their names: that of the component or of their type, numbered from the second of a name on.
    var named: [(id: String, component: String, stage: any Stage)] {
        var counts: [String: Int] = [:]
        return stages.map { stage in
            let name = Graph.name(of: Swift.type(of: stage))
            let count = counts[name, default: 0] + 1
            counts[name] = count
            return (count == 1 ? name : "\(name)-\(count)", name, stage)
        }
    }
}
