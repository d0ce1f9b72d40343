#if os(Linux)
    import Foundation
    import PipelineTesting
    import Testing

    @testable import Pipeline

    @Suite("The threads of a run whose graph cannot be changed", .timeLimit(.minutes(1)))
    struct ReloadThreadTests {
        private func threads() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
        }

        @Test("Reloads that fail leave no threads behind, although every sink and worker has one")
        func failedReloads() async throws {
            let (feed, basin) = (Feed(), Basin())
            func plan(_ more: (inout Plan) -> Void = { _ in }) -> Plan {
                var plan = Plan.building()
                plan.add("in", source: feed.source)
                plan.add("shift", stage: Shift(amount: 1))
                plan.nodes[1].workers = 2
                plan.add("out", sink: basin.sink)
                more(&plan)
                return plan
            }
            let run = Run(plan())
            run.start()
            feed.give([1], at: 1)
            await basin.wait(for: 1)
            let before = try threads()
            for _ in 0..<20 {
                let broken = Basin(isBroken: true)
                await #expect(throws: PipelineError.self) {
                    try await run.reload(
                        plan { $0.add("leak", sink: broken.sink, from: ["in"]) }, keeping: ["in", "shift", "out"])
                }
            }
            // A thread ends shortly after it is told to.
            var after = try threads()
            for _ in 0..<1000 where after > before + 3 {
                try await Task.sleep(for: .milliseconds(10))
                after = try threads()
            }
            #expect(after <= before + 3)
            feed.end()
            #expect(await run.finished().failures.isEmpty)
            #expect(basin.numbers == [2])
        }
    }
#endif
