import PipelineTesting
import Testing

@testable import Pipeline

@Suite("Numbers of output") struct OutputNumberTests {
    @Test(
        "Numbers of output: frames of a stream with the same timestamp are counted, and a later timestamp restarts the count"
    )
    func counting() {
        let numbers = OutputNumbers("sink", maxStreams: 10, WrittenOutputs())
        let found = [5, 5, 5, 7].map { numbers.next("a", at: .microseconds($0)).number }
        #expect(
            found == [
                OutputNumber(time: 5), OutputNumber(time: 5, count: 1), OutputNumber(time: 5, count: 2),
                OutputNumber(time: 7),
            ])
        #expect(found == found.sorted())
        #expect(numbers.next("b", at: .zero).number == OutputNumber(time: 0))
    }

    @Test(
        "Numbers of output: frames that were written before are repetitions, until a stream ends or moves to another process"
    )
    func repetitions() {
        let written = WrittenOutputs()
        let numbers = OutputNumbers("sink", maxStreams: 10, written)
        let limits: [OutputKey: OutputNumber] = [
            OutputKey(sink: "sink", stream: "a"): OutputNumber(time: 5, count: 1),
            OutputKey(sink: "sink", stream: "ended"): OutputNumber(time: 9),
            OutputKey(sink: "other", stream: "b"): OutputNumber(time: 9),
        ]
        written.add(limits, of: "partition 1")
        written.add([OutputKey(sink: "sink", stream: "moved"): OutputNumber(time: 9)], of: "partition 2")
        #expect(numbers.last(of: "a") == OutputNumber(time: 5, count: 1))
        #expect(
            [4, 5, 5, 5, 6].map { numbers.next("a", at: .microseconds($0)).isRepetition } == [
                true, true, true, false, false,
            ])
        #expect(numbers.last(of: "a") == OutputNumber(time: 6))
        #expect(!numbers.next("b", at: .zero).isRepetition)
        #expect(numbers.next("ended", at: .zero).isRepetition)
        numbers.end("ended")
        #expect(!numbers.next("ended", at: .zero).isRepetition)
        written.forget(of: "partition 2")
        #expect(!numbers.next("moved", at: .zero).isRepetition)
    }

    @Test("Numbers of output: the keys that are stored with committed positions never change")
    func keys() {
        #expect(OutputKey(sink: "kafka", stream: "pen-1").hash == 324313305976545110)
        #expect(OutputKey(sink: "", stream: "").hash == 2953197516032961587)
    }
}
