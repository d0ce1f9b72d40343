import Pipeline
import PipelineTesting
import Testing

@Suite("Stream names")
struct StreamIDTests {
    @Test("Stream names are equal only if they consist of the same bytes")
    func bytes() {
        let long = "a name that is longer than fifteen bytes"
        let (composed, decomposed) = (StreamID("caf\u{E9}"), StreamID("cafe\u{301}"))
        #expect(composed.name == decomposed.name)
        #expect(composed != decomposed && decomposed < composed)
        #expect(Set([composed, decomposed, StreamID("caf\u{E9}")]).count == 2)
        #expect(StreamID(long) == StreamID(String(decoding: Array(long.utf8), as: UTF8.self)))
        #expect(StreamID(long) != StreamID(long + "!") && StreamID("") == StreamID(""))
        #expect([StreamID("b"), "a", "", "ab"].sorted() == ["", "a", "ab", "b"])
        // Different bytes of the same number.
        #expect(StreamID("a\u{323}\u{307}") != StreamID("a\u{307}\u{323}"))
    }

    @Test("Streams whose names are equivalent texts keep their own order and state")
    func apart() async {
        let out = Collector<TestNumber>()
        var plan = Plan.building()
        let frames = (0..<6 as Range<Int64>).map { index in
            Frame(
                TestNumber(Int(index)), at: .microseconds(index % 2 == 0 ? index + 10 : index),
                stream: index % 2 == 0 ? "caf\u{E9}" : "cafe\u{301}", sequence: index)
        }
        plan.add("in", source: FramesSource(frames))
        plan.add("out", sink: out.sink())
        let report = await Run(plan).finished()
        #expect(report.isSuccess, "\(report.failures)")
        #expect(out.frames.map { Array($0.stream.name.utf8) } == frames.map { Array($0.stream.name.utf8) })
    }
}
