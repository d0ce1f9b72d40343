import Pipeline
import Stages
import Testing

@testable import Connectors

@Suite("Replay controls")
struct ReplayControlTests {
    private let second: Int64 = 1_000_000_000

    @Test("Replay controls: a new speed applies from the current position")
    func rates() {
        let control = ReplayControl(.times(2))
        let begin = control.position(at: 10 * second)
        #expect(control.position(at: 11 * second) - begin == 2 * second)
        control.faster(at: 11 * second)
        #expect(control.position(at: 12 * second) - begin == 6 * second)
        for _ in 0..<3 { control.slower(at: 12 * second) }
        #expect(control.position(at: 14 * second) - begin == 7 * second)
        #expect(control.status == ReplayControl.Status(rate: 0.5))
    }

    @Test("Replay controls: a paused replay sends one frame for each step")
    func steps() {
        let control = ReplayControl(.times(1))
        control.togglePause(at: 5 * second)
        let here = control.position(at: 5 * second)
        #expect(control.position(at: 50 * second) == here)
        #expect(!control.pass(here + second, at: 50 * second))
        control.step(at: 50 * second)
        #expect(control.pass(here + second, at: 51 * second))
        #expect(!control.pass(here + 2 * second, at: 52 * second))
        // All frames with the same time are passed on together.
        #expect(control.pass(here + second, at: 52 * second))
        control.togglePause(at: 60 * second)
        #expect(!control.pass(here + 2 * second, at: 60 * second))
        #expect(control.pass(here + 2 * second, at: 61 * second))
    }

    @Test("Replay controls: a replay that is resumed before its single step was taken does not jump after that step")
    func stepWhileRunning() {
        let control = ReplayControl(.times(1))
        control.togglePause(at: 5 * second)
        let here = control.position(at: 5 * second)
        control.step(at: 50 * second)
        control.togglePause(at: 50 * second)
        #expect(control.pass(here + 20 * second, at: 51 * second))
        #expect(control.position(at: 51 * second) == here + 20 * second)
        #expect(control.position(at: 52 * second) == here + 21 * second)
    }

    @Test(
        "Replay controls: a replay at full speed does not wait, and continues at a rate of 1,000 after it is slowed down"
    )
    func most() {
        let control = ReplayControl(.max)
        #expect(control.pass(1000 * second, at: 1))
        #expect(control.status.rate == nil)
        control.faster(at: 2)
        #expect(control.status.rate == nil)
        control.togglePause(at: 2)
        #expect(!control.pass(1001 * second, at: 3))
        control.togglePause(at: 4)
        control.slower(at: 4)
        #expect(control.status.rate == 1000)
        #expect(!control.pass(2001 * second, at: 4))
        #expect(control.pass(2000 * second, at: 4 + second))
    }

    @Test("Replay controls: a rate stays between a thousandth and a thousand")
    func limits() {
        let control = ReplayControl(.times(1))
        for _ in 0..<30 { control.faster(at: 0) }
        #expect(control.status.rate == 1000)
        for _ in 0..<60 { control.slower(at: 0) }
        #expect(control.status.rate == 0.001)
        #expect(control.position(at: .max) > 0)
    }
}
