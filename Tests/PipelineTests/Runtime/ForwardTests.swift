import Pipeline
import PipelineTesting
import Testing

/// Emits a number before each it passes on; refuses 3 after having passed it on.
private struct Herald: Stage {
    mutating func process(_ frame: Frame<TestNumber>, into emitter: borrowing Emitter<TestNumber>) throws {
        if frame.payload.value == 2 { return emitter.drop("even") }
        emitter.forward()
        emitter.emit(TestNumber(-frame.payload.value))
        if frame.payload.value == 3 { throw PipelineError.frame("herald.three", "not this one") }
    }
}

/// Passes on what it does not make.
private struct Confused: Stage {
    mutating func process(_ frame: Frame<TestNumber>, into emitter: borrowing Emitter<FailedFrame>) {
        emitter.forward()
    }
}

@Suite struct ForwardTests {
    @Test("the frame passed on goes behind what was emitted for it, with its own number, and not when the stage throws")
    func order() async {
        let frames = (1...4).map { Frame(TestNumber($0), at: .milliseconds(Int64($0)), sequence: Int64(10 + $0)) }
        let result = await StageHarness(Herald()).run(frames)
        #expect(result.payloads.map(\.value) == [-1, 1, -3, -4, 4])
        #expect(result.frames.map(\.sequence) == [11, 11, 13, 14, 14])
        #expect(result.errors.map(\.error.code) == ["herald.three"])
        // 3 is missing before what comes next; 2 was let go on purpose.
        #expect(result.frames.map(\.gap) == [0, 0, 0, 1, 0])
        #expect(result.ledger.passed == 2)
        #expect(result.report.violations == [])
    }

    @Test("a stage that makes something else than it takes cannot pass a frame on")
    func otherType() async {
        let result = await StageHarness(Confused()).run([TestNumber(1), TestNumber(2)])
        #expect(result.payloads.isEmpty)
        #expect(result.errors.map(\.error.code) == ["stage.forward", "stage.forward"])
    }
}
