/// Reduces a failing graph as long as it still fails.
struct GraphShrinker {
    /// Returns a smaller graph that still fails, with its faults.
    static func shrink(_ graph: Graph, _ faults: [String], tries: Int = 80) async -> (graph: Graph, faults: [String]) {
        var (best, found, left) = (graph, faults, tries)
        var hasShrunk = true
        while hasShrunk, left > 0 {
            hasShrunk = false
            for candidate in candidates(best) where left > 0 {
                left -= 1
                let faults = await GraphCheck(candidate).faults()
                guard !faults.isEmpty else { continue }
                (best, found, hasShrunk) = (candidate, faults, true)
                break
            }
        }
        return (best, found)
    }

    private static func candidates(_ graph: Graph) -> [Graph] {
        var list: [Graph] = []
        for place in graph.nodes.indices.reversed() {
            let node = graph.nodes[place]
            if case .source(let events) = node.kind {
                let half = events.count / 2
                guard half > 0 else { continue }
                for kept in [events[..<half], events[half...]] {
                    var smaller = graph
                    smaller.nodes[place].kind = .source(Array(kept))
                    list.append(smaller)
                }
            } else {
                list.append(removing(place, from: graph))
            }
        }
        return list.filter { !$0.sinks.isEmpty }
    }

    /// Returns the graph without a node. The node's consumers take input from the node's first input instead. Nodes without
    /// consumers are removed too.
    private static func removing(_ place: Int, from graph: Graph) -> Graph {
        var smaller = graph
        let above = graph.nodes[place].from[0]
        for index in smaller.nodes.indices {
            var seen: Set<Int> = []
            smaller.nodes[index].from = smaller.nodes[index].from.map { $0 == place ? above : $0 }
                .filter { seen.insert($0).inserted }
        }
        let failed = smaller.nodes.indices.filter {
            if case .errorSink = smaller.nodes[$0].kind { graph.nodes[$0].from == [place] } else { false }
        }
        var isKept = smaller.nodes.map { _ in false }
        for index in smaller.nodes.indices.reversed() where index != place && !failed.contains(index) {
            isKept[index] = isKept[index] || smaller.sinks.contains(index)
            if isKept[index] { for from in smaller.nodes[index].from { isKept[from] = true } }
        }
        isKept[place] = false
        let kept = smaller.nodes.indices.filter { isKept[$0] }
        let places = Dictionary(uniqueKeysWithValues: kept.enumerated().map { ($1, $0) })
        smaller.nodes = kept.map { index in
            var node = smaller.nodes[index]
            node.from = node.from.compactMap { places[$0] }
            return node
        }
        return smaller
    }
}
