import Pipeline

/// Compares the engine's results for a graph with the model, and with each other.
struct GraphCheck {
    private let graph: Graph
    private let model: GraphModel

    init(_ graph: Graph) {
        self.graph = graph
        model = GraphModel(graph)
    }

    /// Returns the faults found, one line each; empty if everything is correct.
    func faults() async -> [String] {
        for group in settings {
            var first: GraphRunner.Outcome?
            for setting in group {
                let outcome = await GraphRunner(graph).run(setting)
                var faults = outcome.faults
                if graph.mayCollide { faults.removeAll(where: Self.isCollision) }
                if graph.isModeled { faults += differences(from: model, outcome) }
                if faults.isEmpty, let first { faults = differences(between: first, outcome, group[0]) }
                guard faults.isEmpty else { return ["with \(setting.words):"] + faults }
                if first == nil { first = outcome }
            }
        }
        return []
    }

    private static func isCollision(_ fault: String) -> Bool { fault.contains("[join.out_of_step]") }

    /// Groups of settings that must give the same results. The order of frames across streams may differ between a setting in
    /// which the engine chooses direct calls and a setting in which every node has an edge. A capacity above 64 may change it too,
    /// because a join then holds more frames before it goes on without an edge. Nothing else may change this order.
    private var settings: [[GraphRunner.Setting]] {
        typealias Setting = GraphRunner.Setting
        if graph.isLive {
            // Streams are ordered by their arrival, which a full edge delays. So each setting is compared only with itself.
            return [
                Setting(), Setting(workers: 2), Setting(workers: 8), Setting(capacity: 64, workers: 8),
                Setting(capacity: 1),
                Setting(capacity: 1, workers: 2),
            ].map { [$0, $0] }
        }
        return [
            [
                Setting(), Setting(batchSize: 1), Setting(batchSize: 7), Setting(workers: 2),
                Setting(batchSize: 3, workers: 8), Setting(batchSize: 1, reloads: 3),
                Setting(batchSize: 3, workers: 2, reloads: 5), Setting(batchSize: 2, workers: 2, commits: 3), Setting(),
            ],
            [
                Setting(capacity: 64), Setting(batchSize: 5, capacity: leastCapacity),
                Setting(capacity: min(64, leastCapacity + 1)), Setting(capacity: 64, workers: 8),
                Setting(batchSize: 1, capacity: leastCapacity, workers: 2),
                Setting(batchSize: 1, capacity: 64, reloads: 4),
                Setting(batchSize: 1, capacity: leastCapacity, commits: 2),
            ],
            [Setting(capacity: 256), Setting(batchSize: 3, capacity: 256, workers: 8)],
        ]
    }

    /// The capacity that every edge needs so that branches that meet again do not block each other: 64 if a branch may hold back
    /// frames or emit several for one, otherwise 1.
    private var leastCapacity: Int {
        guard graph.nodes.contains(where: { $0.from.count > 1 }) else { return 1 }
        return graph.nodes.contains { node in
            switch node.kind {
            case .join(.approximate, _, _): true
            case .stage(let work), .asyncStage(let work, _): work.multiplies
            default: node.from.count > 1
            }
        } ? 64 : 1
    }

    private func differences(from model: GraphModel, _ outcome: GraphRunner.Outcome) -> [String] {
        var faults: [String] = []
        for place in graph.sinks {
            let name = graph.nodes[place].name
            // Where edges merge, frames with equal timestamps may have any order, but it must be the same every time.
            let isMerged = graph.nodes[place].from.count > 1
            let expected = GraphModel.byStream(model.results[place].frames, sorted: isMerged)
            let found = GraphModel.byStream(outcome.frames[place] ?? [], sorted: isMerged)
            for stream in Set(expected.keys).union(found.keys).sorted() {
                faults += difference(expected[stream] ?? [], found[stream] ?? [], "\(name), stream \(stream)")
            }
        }
        for (node, result) in zip(graph.nodes, model.results) {
            if let counts = outcome.counts[node.name], counts != result.counts {
                faults.append("\(node.name) counts \(counts.words), not \(result.counts.words)")
            }
            let found = outcome.drops.filter { $0.place == node.name }.sorted { $0.order < $1.order }
            let expected = result.drops.sorted { $0.order < $1.order }
            if found != expected {
                faults.append("\(node.name) drops \(found.map(\.words)), not \(expected.map(\.words))")
            }
        }
        return faults
    }

    private func differences(
        between first: GraphRunner.Outcome, _ outcome: GraphRunner.Outcome, _ setting: GraphRunner.Setting
    ) -> [String] {
        let collides = first.faults.contains(where: Self.isCollision)
        guard collides == outcome.faults.contains(where: Self.isCollision) else {
            return ["it fails \(collides ? "only" : "with this setting, but not") with \(setting.words)"]
        }
        return graph.sinks.flatMap { place in
            let (expected, found) = (first.frames[place] ?? [], outcome.frames[place] ?? [])
            // How much is written before the run fails is not specified.
            let count = collides ? min(expected.count, found.count) : Int.max
            return difference(
                Array(expected.prefix(count)), Array(found.prefix(count)),
                "\(graph.nodes[place].name), as with \(setting.words)")
        }
    }

    private func difference<T: Equatable>(_ expected: [T], _ found: [T], _ place: String) -> [String] {
        guard expected != found else { return [] }
        let index = zip(expected, found).enumerated().first { $1.0 != $1.1 }?.offset ?? min(expected.count, found.count)
        func words(_ list: [T]) -> String { index < list.count ? "\(list[index])" : "nothing" }
        return [
            "\(place): frame \(index) of \(found.count) (expected \(expected.count)) is \(words(found)), not \(words(expected))"
        ]
    }
}

extension GraphRunner.Setting {
    var words: String {
        "batches of \(batchSize), " + (capacity.map { "capacity \($0)" } ?? "edges by default")
            + ", \(workers) workers, \(reloads) reloads, commits every \(commits) readings"
    }
}

extension GraphModel.Counts {
    fileprivate var words: String {
        "received \(received) passed \(passed) absorbed \(absorbed) dropped \(dropped) failed \(failed) out \(emitted)"
    }
}

extension GraphModel.Drop {
    fileprivate var words: String { "\(stream)\(sequence)@\(time) \(reason)" }

    fileprivate var order: (String, Int64, Int64, String) { (stream, time, sequence, reason) }
}

extension Work {
    /// Whether one number may produce several numbers.
    fileprivate var multiplies: Bool {
        switch self {
        case .copies, .spread, .early: true
        default: false
        }
    }
}
