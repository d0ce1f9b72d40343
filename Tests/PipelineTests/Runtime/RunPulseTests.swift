import Foundation
import PipelineTesting
import Testing

@testable import Pipeline

@Suite("The pulse of a run")
struct RunPulseTests {
    private typealias Beat = RunPulse.Beat

    private func pulse(_ beats: (String, Beat.Standing, Int64)..., isTimed: Bool = false) -> RunPulse {
        RunPulse(beats: beats.map { Beat(node: $0.0, standing: $0.1, done: $0.2) }, isTimed: isTimed)
    }

    @Test("Pulse of a run: it names a node that is still at work on the same frame")
    func atWork() {
        let before = pulse(("in", .outside, 4), ("match", .atWork, 7), ("out", .waiting, 7))
        #expect(
            pulse(("in", .outside, 4), ("match", .atWork, 7), ("out", .waiting, 7)).stalled(since: before) == ["match"])
        #expect(pulse(("in", .outside, 4), ("match", .atWork, 8), ("out", .waiting, 7)).stalled(since: before) == [])
        #expect(pulse(("in", .outside, 4), ("match", .waiting, 7), ("out", .waiting, 7)).stalled(since: before) == [])
        // A task that has ended or had not started does not hang.
        #expect(pulse(("in", .outside, 4)).stalled(since: before) == [])
        #expect(before.stalled(since: pulse()) == [])
    }

    @Test("Pulse of a run: a run whose source waits for messages, or that waits for a time, is not stalled")
    func idle() {
        let waiting = pulse(("in", .outside, 4), ("match", .waiting, 7))
        #expect(waiting.stalled(since: waiting) == [])
        let timed = pulse(("match", .waiting, 7), isTimed: true)
        #expect(timed.stalled(since: timed) == [])
    }

    @Test("Pulse of a run: it names all tasks if they wait only for each other")
    func deadlock() {
        let stuck = pulse(("in", .waiting, 4), ("match", .waiting, 7))
        #expect(stuck.stalled(since: stuck) == ["in", "match"])
        #expect(stuck.stalled(since: pulse(("in", .waiting, 3), ("match", .waiting, 7))) == [])
    }

    /// Holds the first frame until it is released.
    private struct Holding: Stage {
        typealias Input = TestNumber
        typealias Output = TestNumber
        let (isHeld, isFree): (DispatchSemaphore, DispatchSemaphore)

        mutating func process(
            _ payload: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
        ) {
            if payload.value == 0 {
                isHeld.signal()
                isFree.wait()
            }
            emitter.emit(payload)
        }
    }

    @Test(
        "Pulse of a run: it names a stage that hangs, and nothing before and after the run", arguments: [true, false])
    func run(isAsynchronousSink: Bool) async {
        let (isHeld, isFree) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let out = Collector<TestNumber>()
        let frames = (0..<500).map {
            Frame(TestNumber($0), at: .milliseconds(Int64($0)), stream: "a", sequence: Int64($0))
        }
        var plan = Plan.building()
        plan.add("in", source: FramesSource(frames, batchSize: 10))
        plan.add("hold", stage: Holding(isHeld: isHeld, isFree: isFree))
        plan.add("out", sink: out.sink(mayBlock: isAsynchronousSink))
        let run = Run(plan)
        #expect(run.pulse.beats.isEmpty)
        run.start()
        await wait(for: isHeld)
        // Waits until only the stage is still at work.
        var (earlier, later) = (run.pulse, run.pulse)
        while later.beats.contains(where: { $0.standing == .atWork && !$0.node.contains("hold") }) {
            // The stage blocks one thread of the pool. Other work needs the thread that this test runs on.
            try? await Task.sleep(for: .milliseconds(1))
            later = run.pulse
        }
        earlier = later
        #expect(run.pulse.stalled(since: earlier) == ["hold"])
        isFree.signal()
        let report = await run.finished()
        #expect(report.isSuccess)
        #expect(out.frames.count == 500)
        #expect(run.pulse.beats.isEmpty)
        #expect(run.pulse.stalled(since: earlier) == [])
    }

    /// Waits on a separate thread.
    private func wait(for semaphore: DispatchSemaphore) async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                semaphore.wait()
                continuation.resume()
            }
        }
    }
}
