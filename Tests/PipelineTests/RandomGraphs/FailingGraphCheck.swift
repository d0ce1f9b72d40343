import Pipeline
import PipelineTesting

/// Makes a stage of a random graph fail at some frame. What each sink has received must then be a prefix of what it receives
/// without the failure.
struct FailingGraphCheck {
    private let graph: Graph
    private let failure: GraphRunner.Failure

    /// Chooses a stage, and a number at which it fails. The same graph always gives the same choice. Returns `nil` for a live
    /// graph, a graph without a model, or a graph in which no stage is suitable.
    init?(_ graph: Graph) {
        guard !graph.isLive, graph.isModeled else { return nil }
        let results = GraphModel(graph).results
        var random = SeededGenerator(seed: graph.seed)
        let candidates = graph.nodes.indices.flatMap { place -> [GraphRunner.Failure] in
            switch graph.nodes[place].kind {
            // A stage that fails by itself would end the run at another frame, because the failing stage has the policy `fail`.
            case .stage(.each), .stage(.rename), .stage(.fail), .asyncStage(.fail, _): []
            case .stage, .asyncStage:
                // If the node drops late frames, not every frame reaches the stage.
                !results[place].drops.isEmpty
                    ? []
                    : graph.nodes[place].from.flatMap { results[$0].frames }.map {
                        GraphRunner.Failure(place: place, value: $0.value)
                    }
            default: []
            }
        }
        guard let failure = candidates.randomElement(using: &random) else { return nil }
        (self.graph, self.failure) = (graph, failure)
    }

    /// A description of the failure.
    var words: String { "\(graph.nodes[failure.place].name) fails at \(failure.value)" }

    /// Returns the faults found, one line each.
    func faults() async -> [String] {
        typealias Setting = GraphRunner.Setting
        let groups = [
            [
                Setting(), Setting(batchSize: 1), Setting(batchSize: 7), Setting(workers: 2), Setting(workers: 8),
                Setting(),
            ],
            [
                Setting(capacity: 64), Setting(batchSize: 5, capacity: 64),
                Setting(batchSize: 3, capacity: 64, workers: 2),
            ],
        ]
        for group in groups {
            let whole = await GraphRunner(graph).run(group[0])
            guard whole.faults.isEmpty else { return whole.faults }
            for setting in group {
                let outcome = await GraphRunner(graph, failing: failure).run(setting)
                var faults = outcome.faults
                if outcome.failures.isEmpty { faults.append("it did not fail") }
                for place in graph.sinks {
                    let (all, written) = (whole.frames[place] ?? [], outcome.frames[place] ?? [])
                    if Array(all.prefix(written.count)) != written {
                        let index = zip(all, written).enumerated().first { $1.0 != $1.1 }?.offset ?? all.count
                        faults.append(
                            "\(graph.nodes[place].name): frame \(index) of \(written.count) is \(written[index])"
                                + (index < all.count ? ", not \(all[index])" : ""))
                    }
                }
                guard faults.isEmpty else { return ["with \(setting.words):"] + faults }
            }
        }
        return []
    }
}
