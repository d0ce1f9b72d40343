import Pipeline
import Synchronization
import Testing

/// Records the order in which things happened.
private final class Order: Sendable {
    private let state = Lock<[Int]>([])
    var values: [Int] { state.withLock { $0 } }
    func add(_ value: Int) { state.withLock { $0.append(value) } }
}

@Suite struct VirtualClockTests {
    @Test("Virtual clock: sleepers wake in the order of their deadlines, and no real time passes")
    func order() async throws {
        let clock = VirtualClock(now: 0)
        let woken = Order()
        try await clock.run {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (index, hours) in [3, 1, 2, 1].enumerated() {
                    group.addTask {
                        try await clock.sleep(until: Int64(hours) * 3_600_000_000_000)
                        woken.add(index)
                    }
                }
                try await group.waitForAll()
            }
        }
        #expect(woken.values == [1, 3, 2, 0])
        #expect(clock.now == 3 * 3_600_000_000_000)
    }

    @Test("Virtual clock: time stands still while any task has work")
    func busy() async throws {
        let clock = VirtualClock(now: 0)
        let seen = try await clock.run {
            let sleeper = Task(executorPreference: clock) {
                try await clock.sleep(until: 5)
                return clock.now
            }
            for _ in 0..<1000 { await Task.yield() }
            let before = clock.now
            return (before, try await sleeper.value)
        }
        #expect(seen == (0, 5))
    }

    @Test("Virtual clock: a sleeper that is canceled stops sleeping, and does not advance the time")
    func cancel() async {
        let clock = VirtualClock(now: 0)
        await clock.run {
            let sleeper = Task(executorPreference: clock) { try await clock.sleep(until: 1_000_000) }
            await Task.yield()
            sleeper.cancel()
            await #expect(throws: CancellationError.self) { try await sleeper.value }
        }
        #expect(clock.now == 0)
    }
}
