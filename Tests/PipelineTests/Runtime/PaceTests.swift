import Synchronization
import Testing

@testable import Pipeline

/// A clock that shows a given time, and counts how often it is read.
private final class CountingClock: RunClock {
    private let state = Lock<(now: Int64, readings: Int)>((0, 0))

    var now: Int64 {
        state.withLock { state in
            state.readings += 1
            return state.now
        }
    }

    var readings: Int { state.withLock { $0.readings } }
    func pass(_ nanoseconds: Int64) { state.withLock { $0.now += nanoseconds } }
    func sleep(until deadline: Int64) async throws {}
}

@Suite("When a stage passes on its batch")
struct PaceTests {
    @Test("A batch is passed on after every slow frame, also after quick frames")
    func slowFrames() {
        let clock = CountingClock()
        var pace = Pace()
        pace.begin(clock)
        func work(_ nanoseconds: Int64, _ count: Int) -> [Int] {
            (0..<count).filter { _ in
                clock.pass(nanoseconds)
                return pace.isOver(clock)
            }
        }
        #expect(work(100_000_000, 3) == [0, 1, 2])
        #expect(work(1000, 1000) == [])
        // One reading of the clock detects the first slow frames. From then on, the clock is read for each frame.
        let found = work(100_000_000, 40)
        #expect((found.first ?? 40) < Pace.longestStride)
        #expect(found == Array((found.first ?? 40)..<40))
    }

    @Test("A batch of frames that take a millisecond each is passed on after several frames")
    func ordinaryFrames() {
        let clock = CountingClock()
        var pace = Pace()
        pace.begin(clock)
        var (since, times): (Int64, Int64) = (0, 0)
        for _ in 0..<1000 {
            clock.pass(1_000_000)
            since += 1_000_000
            guard pace.isOver(clock) else { continue }
            #expect(since > Pace.patience && since <= 4 * Pace.patience)
            (since, times) = (0, times + 1)
        }
        #expect(since <= 4 * Pace.patience)
        #expect(times >= 1000 * 1_000_000 / (4 * Pace.patience))
    }

    @Test("While frames are quick, a stage reads the clock only once for several frames")
    func readings() {
        let clock = CountingClock()
        var pace = Pace()
        for _ in 0..<100 {
            pace.begin(clock)
            for _ in 0..<64 {
                clock.pass(50)
                let isOver = pace.isOver(clock)
                #expect(!isOver)
            }
        }
        // Once for each batch, and once for every sixteen frames.
        #expect(clock.readings < 100 + 6400 / Pace.longestStride + 10)
    }
}
