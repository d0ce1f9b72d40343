import Foundation
import Testing

/// Random graphs, each compared with a model of what must come of it.
@Suite("Random graphs")
struct RandomGraphTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let count = environment["PIPELINE_GRAPHS"].flatMap { UInt64($0) } ?? 200
    private static let only = environment["PIPELINE_GRAPH_SEED"].flatMap { UInt64($0) }
    /// The seeds to try; five failures are enough to tell.
    private static var seeds: ClosedRange<UInt64> { only.map { $0...$0 } ?? 1...max(1, count) }

    @Test("every graph gives what the model says, with any batch size and capacity, and on every repetition")
    func graphs() async {
        var failures = 0
        for seed in Self.seeds where failures < 5 {
            let graph = GraphGenerator.graph(seed)
            let faults = await GraphCheck(graph).faults()
            guard !faults.isEmpty else { continue }
            failures += 1
            let (small, found) = await GraphShrinker.shrink(graph, faults)
            Issue.record("\(small)\n\(found.joined(separator: "\n"))\nFirst: \(faults.joined(separator: "\n"))")
        }
    }

    @Test("every live chain that drops while busy delivers and drops what the model says, and on every repetition")
    func liveChains() async {
        var failures = 0
        for seed in Self.seeds where failures < 5 {
            let chain = LiveChain.chain(seed)
            let faults = await LiveChainCheck(chain).faults()
            guard !faults.isEmpty else { continue }
            failures += 1
            let (small, found) = await LiveChainCheck.shrink(chain, faults)
            Issue.record("\(small)\n\(found.joined(separator: "\n"))")
        }
    }
}
