import Foundation
import PipelineTesting
import Testing

@Suite("kafka: groups of workers that are killed", .enabled(if: KafkaCluster.canRun))
struct KafkaGroupTests {
    private static var kills: Int {
        ProcessInfo.processInfo.environment["PIPELINE_DEEP_KILLS"].flatMap { Int($0) } ?? 4
    }
    private static var isDeep: Bool { ProcessInfo.processInfo.environment["PIPELINE_DEEP_KILLS"] != nil }

    private func group(_ delivery: KafkaGroup.Delivery, cooperative: Bool) throws -> KafkaGroup {
        try KafkaGroup(
            delivery, streams: Self.isDeep ? 2000 : 40, gestures: Self.isDeep ? 50 : 20, cooperative: cooperative)
    }

    @Test(
        "kafka: workers that are killed repeat results, and lose none; their numbers tell which are repeated",
        arguments: [true, false])
    func atLeastOnce(cooperative: Bool) async throws {
        let group = try group(.atLeastOnce, cooperative: cooperative)
        let expected = try await group.expected()
        #expect(expected.count >= 40 * 20)
        let sent = try await group.send()
        #expect(sent.code == 0, "\(sent.messages)")
        let last = try await group.work(KafkaGroup.Faults(kills: Self.kills, seed: cooperative ? 1 : 2))
        #expect(last.code == 0, "\(last.messages)")
        let all = try await group.results(repetitions: "keep")
        #expect(Set(all.lines).isSubset(of: Set(expected)), "\(group.log())")
        let once = try await group.results(repetitions: "drop")
        #expect(once.ending.code == 0, "\(once.ending.messages)")
        #expect(once.lines == expected, "\(all.lines.count) with repetitions; \(group.log())")
    }

    @Test(
        "kafka: with exactly_once, each result is there once, however often workers are killed",
        arguments: [true, false])
    func exactlyOnce(cooperative: Bool) async throws {
        let group = try group(.exactlyOnce, cooperative: cooperative)
        let expected = try await group.expected()
        let sent = try await group.send()
        #expect(sent.code == 0, "\(sent.messages)")
        let last = try await group.work(KafkaGroup.Faults(kills: Self.kills, seed: cooperative ? 3 : 4))
        #expect(last.code == 0, "\(last.messages)")
        let all = try await group.results(repetitions: "keep")
        #expect(all.lines == expected, "\(group.log())")
    }
}
