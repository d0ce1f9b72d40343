import Testing

/// Random graphs, each compared with a model of its results.
@Suite("Random graphs")
struct RandomGraphTests {
    @Test(
        "Random graphs: every graph gives what the model says, with any batch size and capacity, and on every repetition"
    )
    func graphs() async {
        var failures = 0
        for seed in GraphSeeds.range(count: 200) where failures < 5 {
            let graph = GraphGenerator.graph(seed)
            let faults = await GraphCheck(graph).faults()
            guard !faults.isEmpty else { continue }
            failures += 1
            let (small, found) = await GraphShrinker.shrink(graph, faults)
            Issue.record("\(small)\n\(found.joined(separator: "\n"))\nFirst: \(faults.joined(separator: "\n"))")
        }
    }

    @Test(
        "Random graphs: in every repetition, a busy live chain delivers and drops what the model says"
    )
    func liveChains() async {
        var failures = 0
        for seed in GraphSeeds.range(count: 200) where failures < 5 {
            let chain = LiveChain.chain(seed)
            let faults = await LiveChainCheck(chain).faults()
            guard !faults.isEmpty else { continue }
            failures += 1
            let (small, found) = await LiveChainCheck.shrink(chain, faults)
            Issue.record("\(small)\n\(found.joined(separator: "\n"))")
        }
    }

    @Test("Random graphs: the parts of the seeds contain every seed once", arguments: [1, 7, 8, 9, 100] as [UInt64])
    func parts(count: UInt64) {
        let parts = (0..<8).map { GraphSeeds.part($0, of: 8, count: count) }
        #expect(parts.flatMap(\.self).sorted() == Array(0..<count))
        #expect(parts.allSatisfy { $0.count == Int(count) / 8 || $0.count == Int(count + 7) / 8 })
    }

    @Test("Random graphs: whatever a reload changes, the run ends, its ledger balances, and no frame is canceled")
    func changes() async {
        var failures = 0
        for seed in GraphSeeds.range(count: 200) where failures < 5 {
            let graph = GraphGenerator.graph(seed)
            let outcome = await GraphRunner(graph).run(.init(batchSize: 1, workers: 2, reloads: 6, changes: true))
            // A reload may replace a merge. The new merge does not know how far the streams had advanced, so the run may end with
            // this error. That is not a fault.
            var faults = outcome.faults.filter { !$0.contains("[join.out_of_step]") }
            if outcome.faults.isEmpty {
                faults += outcome.drops.filter { $0.reason == "cancelled" }.map { "\($0.place) cancels \($0.sequence)" }
            }
            guard !faults.isEmpty else { continue }
            failures += 1
            Issue.record("\(graph)\n\(faults.joined(separator: "\n"))")
        }
    }

    @Test("Random graphs: the output before a run fails is a prefix of the output without the failure")
    func failures() async {
        var (failures, tried) = (0, 0)
        for seed in GraphSeeds.range(count: 100) where failures < 5 {
            let graph = GraphGenerator.graph(seed)
            guard let failing = FailingGraphCheck(graph) else { continue }
            tried += 1
            let faults = await failing.faults()
            guard !faults.isEmpty else { continue }
            failures += 1
            Issue.record("\(graph)\n\(failing.words)\n\(faults.joined(separator: "\n"))")
        }
        // Only batch graphs that have a model and a suitable stage are tried. If these are few, something is wrong with the test.
        // A run with a single seed may have none.
        #expect(tried > GraphSeeds.range(count: 100).count / 3 || GraphSeeds.range(count: 100).count == 1)
    }
}
