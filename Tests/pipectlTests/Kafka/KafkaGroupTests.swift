import Foundation
import PipelineTesting
import Testing

@Suite("kafka: groups of workers that are killed", .enabled(if: KafkaCluster.canRun))
struct KafkaGroupTests {
    /// How often workers are killed in a deep check.
    private static let deepKills = ProcessInfo.processInfo.environment["PIPELINE_DEEP_KILLS"].flatMap { Int($0) }
    /// Whether to use the cooperative protocol, or the eager one. Only a deep check tries both for every kind of delivery.
    private static func protocols(_ usual: Bool) -> [Bool] { deepKills == nil ? [usual] : [true, false] }

    private func group(_ delivery: KafkaGroup.Delivery, cooperative: Bool) throws -> KafkaGroup {
        let isDeep = Self.deepKills != nil
        return try KafkaGroup(
            delivery, streams: isDeep ? 2000 : 60, gestures: isDeep ? 50 : 20, cooperative: cooperative)
    }

    private func faults(seed: UInt64) -> KafkaGroup.Faults { KafkaGroup.Faults(kills: Self.deepKills ?? 4, seed: seed) }

    @Test(
        "kafka: killed workers may repeat results, but lose none, and the numbers of results show which are repeated",
        arguments: protocols(false))
    func atLeastOnce(cooperative: Bool) async throws {
        let group = try group(.atLeastOnce, cooperative: cooperative)
        let expected = try await group.expected()
        #expect(expected.count >= 1200)
        try await group.work(faults(seed: cooperative ? 1 : 2))
        let last = try await group.finishWork(until: expected)
        #expect(last.code == 0, "\(last.messages)")
        let all = try await group.results(repetitions: "keep")
        #expect(Set(all.lines) == Set(expected), "\(group.log())")
        let once = try await group.results(repetitions: "drop")
        #expect(once.ending.code == 0, "\(once.ending.messages)")
        #expect(once.lines == expected, "\(all.lines.count) with repetitions; \(group.log())")
    }

    @Test(
        "kafka: with exactly_once, each result is in the topic once, however often workers are killed",
        arguments: protocols(true))
    func exactlyOnce(cooperative: Bool) async throws {
        let group = try group(.exactlyOnce, cooperative: cooperative)
        let expected = try await group.expected()
        try await group.work(faults(seed: cooperative ? 3 : 4))
        let last = try await group.finishWork(until: expected)
        #expect(last.code == 0, "\(last.messages)")
        let all = try await group.results(repetitions: "keep")
        #expect(group.differences(all.lines, expected).isEmpty, "\(group.log())")
    }

    @Test(
        "kafka: with exactly_once, a restart for points that one branch still held does not write them again in another branch"
    )
    func branches() async throws {
        let group = try KafkaGroup(.exactlyOnce, streams: 60, gestures: 20, hasCopies: true)
        let expected = try await group.expected()
        #expect(expected.count >= 6000)
        try await group.work(KafkaGroup.Faults(kills: 4, seed: 5))
        let last = try await group.finishWork(until: expected)
        #expect(last.code == 0, "\(last.messages)")
        let all = try await group.results(repetitions: "keep")
        #expect(group.differences(all.lines, expected).isEmpty, "\(group.log())")
    }

    @Test(
        "kafka: with exactly_once, no result is written twice after a worker stopped that could not commit its held frames"
    )
    func metadata() async throws {
        let group = try KafkaGroup(.exactlyOnce, streams: 60, gestures: 20, isCrowded: true)
        let expected = try await group.expected()
        let code = try await group.stop()
        #expect(code == 3 && group.log().contains("[kafka.metadata]"), "\(code) \(group.log())")
        let last = try await group.finishWork(until: expected)
        #expect(last.code == 0, "\(last.messages)")
        let all = try await group.results(repetitions: "keep")
        #expect(group.differences(all.lines, expected).isEmpty, "\(group.log())")
    }

    @Test("kafka: a worker that hangs is fenced, and no result is written twice")
    func hang() async throws {
        let group = try KafkaGroup(.exactlyOnce, streams: 60, gestures: 20, isCrowded: true)
        let expected = try await group.expected()
        let code = try await group.hang()
        #expect(code == 3, "\(group.log())")
        #expect(group.log().contains(/kafka\.(lost|fenced|transaction)/), "\(group.log())")
        let last = try await group.finishWork(until: expected)
        #expect(last.code == 0, "\(last.messages)")
        let all = try await group.results(repetitions: "keep")
        #expect(group.differences(all.lines, expected).isEmpty, "\(group.log())")
    }
}
