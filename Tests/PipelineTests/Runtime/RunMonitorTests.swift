import PipelineTesting
import Synchronization
import Testing

@testable import Pipeline

/// Deadlock detection: a wait that no task can end is found immediately, and a wait that a task will end counts as no deadlock.
@Suite struct RunMonitorTests {
    private func monitor() -> RunMonitor { RunMonitor() }

    @Test("Deadlock detection: when every task waits for another, the deadlock is reported and the waits end")
    func deadlock() async {
        let monitor = monitor()
        let (left, right) = (monitor.makeWaker(of: "split"), monitor.makeWaker(of: "join"))
        monitor.taskBegan(2, sources: 0)
        await withTaskGroup { group in
            group.addTask { await left.wait(for: "split waits for room on split → join") }
            group.addTask { await right.wait(for: "join waits for frames on hold → join") }
        }
        let failure = monitor.failures.first?.error
        #expect(failure?.code == "run.deadlock")
        #expect(failure?.message.contains("room on split → join") == true)
        #expect(failure?.message.contains("frames on hold → join") == true)
        #expect(monitor.isCancelled)
    }

    @Test(
        "Deadlock detection: a task that waits for something outside, or that was woken, is not part of a deadlock")
    func noDeadlock() async {
        let monitor = monitor()
        let (inside, outside) = (monitor.makeWaker(of: "inside"), monitor.makeWaker(of: "outside"))
        monitor.taskBegan(2, sources: 0)
        for _ in 0..<200 {
            async let first: Void = inside.wait(for: "inside waits")
            async let second: Void = outside.wait(for: nil)
            // Both tasks sleep, or soon will. The test wakes the outside one, and then the other.
            outside.signal()
            await second
            inside.signal()
            await first
        }
        #expect(monitor.failures.isEmpty)
    }

    /// Whose turn it is, and whether the game is over.
    private final class Game: Sendable {
        let isSinksTurn = Atomic(false)
        let isOver = Atomic(false)
    }

    @Test("Deadlock detection: a task that is woken from outside and by another task is not part of a deadlock")
    func wokenTwice() async {
        let monitor = monitor()
        let (stage, sink) = (monitor.makeWaker(of: "stage"), monitor.makeWaker(of: "sink"))
        let game = Game()
        monitor.taskBegan(2, sources: 0)
        // These signals come from outside, like the answers of an asynchronous stage, whose calls are not tasks of the run.
        startThread { while !game.isOver.load(ordering: .relaxed) { stage.signal() } }
        await withTaskGroup { group in
            for (own, other, isSink) in [(stage, sink, false), (sink, stage, true)] {
                group.addTask {
                    for _ in 0..<20_000 {
                        while game.isSinksTurn.load(ordering: .acquiring) != isSink { await own.wait(for: "its turn") }
                        game.isSinksTurn.store(!isSink, ordering: .releasing)
                        other.signal()
                    }
                }
            }
        }
        game.isOver.store(true, ordering: .relaxed)
        #expect(monitor.failures.isEmpty)
    }

    @Test("Deadlock detection: a signal that comes before the wait is not lost")
    func stickySignal() async {
        let waker = Waker(monitor: nil)
        let hasEnded = Lock(false)
        waker.signal()
        let waiting = Task {
            await waker.wait(for: nil)
            hasEnded.withLock { $0 = true }
        }
        // A wait that has lost the signal never ends, so the test gives it turns instead of waiting for it.
        for _ in 0..<100_000 where !hasEnded.withLock({ $0 }) { await Task.yield() }
        #expect(hasEnded.withLock { $0 }, "the signal was lost")
        waker.signal()
        await waiting.value
    }
}
