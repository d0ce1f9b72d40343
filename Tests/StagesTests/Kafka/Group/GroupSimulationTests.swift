import Foundation
import Testing

/// `PIPELINE_GROUPS` is the number of seeds. `PIPELINE_GROUP_SEED` selects a single seed.
@Suite("Kafka: a group of processes under failures, in virtual time") struct GroupSimulationTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let count = environment["PIPELINE_GROUPS"].flatMap { UInt64($0) } ?? 100
    private static let only = environment["PIPELINE_GROUP_SEED"].flatMap { UInt64($0) }

    /// Every 100th group is a large one.
    private static var seeds: [UInt64] { only.map { [$0] } ?? Array(1...max(1, count)) }

    private static func scale(_ seed: UInt64) -> GroupSimulation.Scale { seed % 100 == 0 ? .large : .small }

    @Test("Kafka groups with transactions: each result is written once, and a stream's results are in order")
    func exactlyOnce() {
        var seen: [String: Int] = [:]
        for seed in Self.seeds where seed % 2 == 0 {
            let simulation = GroupSimulation(seed: seed, Self.scale(seed), isExact: true)
            #expect(simulation.run(), "seed \(seed) was not finished: \(simulation.state)")
            #expect(simulation.results == simulation.log.expected, "seed \(seed)")
            count(simulation, &seen)
        }
        expectTrouble(seen)
        #expect(Self.only != nil || seen["aborts", default: 0] > 0)
    }

    @Test("Kafka groups without transactions: no result is lost, and repetitions are recognized by their offsets")
    func atLeastOnce() {
        var seen: [String: Int] = [:]
        for seed in Self.seeds where seed % 2 == 1 || seed % 100 == 0 {
            let simulation = GroupSimulation(seed: seed, Self.scale(seed), isExact: false)
            #expect(simulation.run(), "seed \(seed) was not finished: \(simulation.state)")
            #expect(simulation.results == simulation.log.expected, "seed \(seed)")
            #expect(simulation.contradictions == 0, "seed \(seed)")
            count(simulation, &seen)
        }
        expectTrouble(seen)
        #expect(Self.only != nil || seen["repetitions", default: 0] > 0)
    }

    @Test(
        "Kafka groups: a deliberate error in the simulation is noticed",
        arguments: [GroupSimulation.Sabotage.oneFrameTooMany, .noFencing, .noText, .unstableOffsets])
    func sabotage(_ sabotage: GroupSimulation.Sabotage) {
        // Some errors have an effect only in rare situations.
        let isNoticed = (1...60 as ClosedRange<UInt64>).contains { seed in
            let simulation = GroupSimulation(seed: seed, .small, isExact: true, sabotage: sabotage)
            return !simulation.run() || simulation.results != simulation.log.expected
        }
        #expect(isNoticed)
    }

    private func count(_ simulation: GroupSimulation, _ seen: inout [String: Int]) {
        seen.merge(simulation.faults, uniquingKeysWith: +)
        for (name, value) in [
            ("rebalances", simulation.group.rebalances), ("exclusions", simulation.group.exclusions),
            ("fencings", simulation.brokers.fencings), ("aborts", simulation.brokers.aborts),
            ("repetitions", simulation.repetitions),
        ] { seen[name, default: 0] += value }
    }

    /// Checks that the groups were really disturbed.
    private func expectTrouble(_ seen: [String: Int]) {
        guard Self.only == nil else { return }
        for name in ["killed", "hung for a moment", "hung", "cut off", "left", "exclusions", "fencings"] {
            #expect(seen[name, default: 0] > 0, "\(name)")
        }
    }
}
