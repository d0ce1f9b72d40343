import Pipeline
import PipelineTesting
import Testing

/// Emits the negative of each number before it passes the number on. Drops 2. Fails at 3 before passing it on.
private struct Herald: Stage {
    mutating func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) throws {
        if number.value == 2 { return emitter.drop("even") }
        emitter.emit(TestNumber(-number.value))
        if number.value == 3 { throw PipelineError.frame("herald.three", "not this one") }
        emitter.emit(number)
    }
}

@Suite struct ForwardTests {
    @Test(
        "Emitters: a forwarded payload follows earlier output, keeps its sequence number, and is not sent if the stage throws"
    )
    func order() async {
        let frames = (1...4).map { Frame(TestNumber($0), at: .milliseconds(Int64($0)), sequence: Int64(10 + $0)) }
        let result = await StageHarness(Herald()).run(frames)
        #expect(result.payloads.map(\.value) == [-1, 1, -3, -4, 4])
        #expect(result.frames.map(\.sequence) == [11, 11, 13, 14, 14])
        #expect(result.errors.map(\.error.code) == ["herald.three"])
        // 3 is missing before the next frame; 2 was dropped on purpose.
        #expect(result.frames.map(\.gap) == [0, 0, 0, 1, 0])
        #expect(result.ledger.passed == 2)
        #expect(result.report.violations == [])
    }
}
