import Pipeline
import PipelineTesting
import Testing

@testable import Connectors
@testable import Stages

@Suite("whatif")
struct WhatIfTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func trial(_ moments: [Int], service: Int64, plan: Plan = .livePen()) throws -> WhatIf {
        let lines = moments.enumerated().map { strokeLine($0, at: $1, received: $1) }
        let path = try folder.write("a.jsonl", lines.joined())
        return try WhatIf(Simulation(of: plan, inputs: [.init(path: path)], serviceTimes: ["work": service]))
    }

    // A frame arrives at 0 ms, and then two frames in every 10 ms. The second of them arrives just before the stage finishes a
    // frame.
    @Test(
        "whatif: shares and ages are those worked out by hand",
        arguments: [
            (WhatIf.Policy(inFlight: 1, capacity: 1, onFull: .dropOldest), 9, 10_500_000, 10_500_000),
            (WhatIf.Policy(inFlight: 1, capacity: 1, onFull: .dropNewest), 9, 15_500_000, 15_500_000),
        ] as [(WhatIf.Policy, Int64, Int64, Int64)])
    func golden(policy: WhatIf.Policy, dropped: Int64, p50: Int64, p95: Int64) async throws {
        let moments = [0] + (0...8).flatMap { [10_000 * $0 + 4500, 10_000 * $0 + 9500] }
        let outcome = try await trial(moments, service: 10_000_000)(policy)
        #expect(outcome.offered == 19)
        #expect(outcome.dropped == dropped)
        #expect(outcome.share == Double(dropped) / 19)
        #expect(outcome.delivered == 19 - Int(dropped))
        #expect(outcome.ageP50 == p50)
        #expect(outcome.ageP95 == p95)
        #expect(outcome.policy == policy)
    }

    @Test(
        "whatif: keys that are not varied keep their values, and without waiting frames no age exceeds one service time"
    )
    func partial() async throws {
        let trial = try trial(Array(stride(from: 0, to: 1_000_000, by: 1000)), service: 20_000_000)
        let own = try await trial(.init())
        #expect(own.policy == .init(inFlight: 1, capacity: 1, onFull: .dropOldest))
        #expect(own.dropped == 949)
        let none = try await trial(.init(capacity: 0))
        #expect(none.policy.capacity == 0)
        #expect(none.ageP95 == 20_000_000)
        #expect(none.delivered == 50)
    }

    // Both frames are in flight at once. The first leaves `work` at 10 ms and `slow` at 25 ms; the second leaves `work` at 20 ms,
    // waits on the inner edge until 25 ms, and leaves `slow` at 40 ms, 39 ms after its arrival.
    @Test("whatif: an inner edge that limits the frames in flight keeps its policy, and its frames are not counted")
    func innerEdge() async throws {
        var plan = Plan.building(mode: .live)
        plan.add("pen", source: OutsideSource<Stroke>(), rules: .init(onDisorder: .drop), onError: .skip)
        plan.add(
            "work", stage: PassOn<Stroke>(), policy: EdgePolicy(capacity: 1, onFull: .dropOldest, inFlight: 2))
        plan.add("slow", stage: PassOn<Stroke>(), policy: EdgePolicy(capacity: 1, onFull: .wait, inFlight: 1))
        plan.add("out", sink: OutsideSink<Stroke>())
        let path = try folder.write("a.jsonl", [0, 1000].map { strokeLine($0 / 1000, at: $0, received: $0) }.joined())
        let trial = try WhatIf(
            Simulation(
                of: plan, inputs: [.init(path: path)], serviceTimes: ["work": 10_000_000, "slow": 15_000_000]))
        let policy = WhatIf.Policy(inFlight: 2, capacity: 0, onFull: .dropNewest)
        let outcome = try await trial(policy)
        #expect(outcome.policy == policy)
        #expect(outcome.offered == 2)
        #expect(outcome.dropped == 0)
        #expect(outcome.delivered == 2)
        #expect(outcome.ageP50 == 25_000_000)
        #expect(outcome.ageP95 == 39_000_000)
    }

    @Test(
        "whatif: frames that only a recorder gets do not count as delivered, and a pipeline that never drops is refused"
    )
    func recorder() async throws {
        var plan = Plan.livePen()
        plan.add(
            "recorder", sink: OutsideSink<Stroke>(), from: ["pen"],
            policy: EdgePolicy(capacity: 4096, onFull: .dropOldest))
        let outcome = try await trial(Array(0..<100), service: 1_000_000, plan: plan)(.init())
        #expect(outcome.offered == 100)
        #expect(outcome.delivered == 2)
        let lossless = Plan.livePen(EdgePolicy(capacity: 64, onFull: .wait))
        #expect(throws: PipelineError.self) { try trial([0], service: 0, plan: lossless) }
    }
}
