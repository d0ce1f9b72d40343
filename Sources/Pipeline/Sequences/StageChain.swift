/// A chain of stages that is built in Swift.
///
/// ```swift
/// let chain = StageChain(Resample(points: 64)).through(Normalize()).through(Vectorize())
/// ```
public struct StageChain<Input: Payload, Output: Payload>: Sendable {
    let stages: [any Stage]

    /// Creates a chain with one stage.
    public init<S: Stage>(_ stage: S) where S.Input == Input, S.Output == Output { stages = [stage] }

    private init(stages: [any Stage]) { self.stages = stages }

    /// Returns the chain with another stage at its end.
    public func through<S: Stage>(_ stage: S) -> StageChain<Input, S.Output> where S.Input == Output {
        StageChain<Input, S.Output>(stages: stages + [stage])
    }

    /// Adds the stages to a flow's graph.
    func append(to flow: Flow<Input>) -> Flow<Output> {
        let last = stages.reduce(flow.node) { flow.graph.append($1, behind: $0) }
        return Flow(graph: flow.graph, node: last)
    }

    /// The stages with their names (see ``Graph/name(of:)``). Further stages with the same name are numbered from 2.
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
