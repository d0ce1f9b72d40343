import Foundation
import Pipeline
import PipelineTesting
import Testing

/// Several runs of the same graph read a log, one after the other. Every run but the last is disturbed at a random moment.
/// Together, they must commit the same results as a single run without disturbance.
///
/// `PIPELINE_HANDOVERS` is the number of seeds, `PIPELINE_HANDOVER_SEED` a single one.
@Suite("commit points: runs that continue where others have stopped, failed or lost partitions")
struct HandoverTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let count = environment["PIPELINE_HANDOVERS"].flatMap { UInt64($0) } ?? 40
    private static var seeds: [UInt64] {
        environment["PIPELINE_HANDOVER_SEED"].flatMap { UInt64($0) }.map { [$0] } ?? Array(1...max(1, count))
    }

    @Test("each result is committed once, whenever runs are stopped, fail, or give partitions up")
    func sameResults() async {
        for seed in Self.seeds {
            var (dice, other) = (SeededGenerator(seed: seed), SeededGenerator(seed: seed))
            let disturbed = await Handover(seed: seed, &dice).results(disturbed: 6, &dice)
            let alone = await Handover(seed: seed, &other).results(disturbed: 0, &other)
            var again = SeededGenerator(seed: seed)
            let graph = Handover(seed: seed, &again)
            #expect(!alone.isEmpty, "seed \(seed): a run without disturbance has results")
            for stream in Set(disturbed.keys).union(alone.keys).sorted() {
                #expect(disturbed[stream] == alone[stream], "seed \(seed), \(graph), \(stream)")
            }
        }
    }
}

/// Logs, and a graph that reads them.
private struct Handover: CustomStringConvertible {
    var description: String { "\(shape), \(logs.map(\.partitions.count)) partitions" }

    private enum Shape: CaseIterable {
        case sum, renamed, twice, merged, joined, shared, twoSources
        /// One branch holds frames from which another branch has already written output.
        case branches, mergedBranches, renamedBranches, joinedBranches
    }

    private let shape: Shape
    private let isApart: Bool
    private let logs: [HandoverLog]
    private let seed: UInt64

    init(seed: UInt64, _ dice: inout SeededGenerator) {
        self.seed = seed
        shape = Shape.allCases.randomElement(using: &dice) ?? .sum
        isApart = Bool.random(using: &dice)
        let messages = Int.random(in: 20...120, using: &dice)
        logs = (shape == .twoSources ? ["a", "b"] : ["a"]).map { name in
            HandoverLog(partitions: Int.random(in: 1...3, using: &dice), messages: messages, named: name, &dice)
        }
    }

    private func plan(_ chance: HandoverChance) -> Plan {
        var plan = Plan.building()
        // If the nodes are kept apart, they have a queue where they could call each other directly.
        let policy = isApart ? EdgePolicy(capacity: 2) : nil
        for (index, log) in logs.enumerated() { plan.add("source\(index)", source: HandoverSource(log, chance)) }
        switch shape {
        case .sum: plan.add("sum", stage: HandoverSum())
        case .renamed:
            plan.add("rename", stage: HandoverRename())
            plan.add("sum", stage: HandoverSum(), policy: policy)
        case .twice:
            plan.add("sum", stage: HandoverSum())
            plan.add("again", stage: HandoverSum(), policy: policy)
        case .merged, .joined:
            plan.add("a", stage: HandoverSum(), from: ["source0"])
            plan.add("b", stage: HandoverSum(), from: ["source0"], policy: policy)
            if shape == .joined {
                plan.add("join", stage: HandoverJoin(), from: ["a", "b"])
            } else {
                plan.add("merge", stage: HandoverPass(), from: ["a", "b"])
            }
        case .branches, .renamedBranches:
            if shape == .branches {
                plan.add("first", stage: HandoverPass(), from: ["source0"])
            } else {
                plan.add("first", stage: HandoverRename(), from: ["source0"])
            }
            plan.add("passed", sink: HandoverSink(logs[0], chance))
            plan.add("sum", stage: HandoverSum(), from: ["source0"], policy: policy)
        case .mergedBranches, .joinedBranches:
            plan.add("pass", stage: HandoverPass(), from: ["source0"], policy: policy)
            plan.add("sum", stage: HandoverSum(), from: ["source0"])
            plan.add("again", stage: HandoverSum(), from: ["source0"], policy: policy)
            if shape == .joinedBranches {
                plan.add("join", stage: HandoverJoin(), from: ["sum", "again"])
                plan.add("both", stage: HandoverPass(), from: ["pass", "join"])
            } else {
                plan.add("both", stage: HandoverPass(), from: ["pass", "sum", "again"])
            }
        case .shared:
            plan.add("sum", stage: HandoverSum())
            plan.nodes[1].workers = 2
        case .twoSources:
            for index in 0..<2 {
                plan.add("sum\(index)", stage: HandoverSum(), from: ["source\(index)"], policy: policy)
            }
            plan.add("both", stage: HandoverPass(), from: ["sum0", "sum1"])
        }
        plan.add("out", sink: HandoverSink(logs[0], chance))
        return plan
    }

    /// Lets runs read the logs, the last one without a disturbance. Returns the results by stream.
    func results(disturbed: Int, _ dice: inout SeededGenerator) async -> [String: [String]] {
        for number in 0...disturbed {
            let disturbance = number < disturbed ? HandoverChance.Disturbance.allCases.randomElement(using: &dice) : nil
            let chance = HandoverChance(seed: UInt64.random(in: 0...(.max), using: &dice), disturbance, before: 40)
            let run = Run(plan(chance))
            chance.follow(run)
            let report = await run.finished()
            #expect(report.violations.isEmpty, "seed \(seed): \(report.violations)")
            if disturbance == nil { #expect(report.isSuccess, "seed \(seed): \(report.failures)") }
        }
        return logs[0].results
    }
}
