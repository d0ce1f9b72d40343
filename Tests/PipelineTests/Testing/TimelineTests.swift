import PipelineTesting
import Testing

@testable import Pipeline
@testable import PipelineConfiguration

@Suite("Timelines")
struct TimelineTests {
    private func marks(_ text: String) throws -> [String] {
        try Timeline(text).marks.map { "\($0.letter)\($0.tick)" }
    }

    @Test(
        "Timelines: a character is a tick, a group is one tick, and blanks are ignored",
        arguments: [
            ("", [], nil), ("|", [], 0), ("a--b-c|", ["a0", "b3", "c5"], 6), ("a b", ["a0", "b1"], nil),
            ("-(ab)-1|", ["a1", "b1", "13"], 4), ("( a b )c", ["a0", "b0", "c1"], nil), ("--| ", [], 2),
        ] as [(String, [String], Int64?)])
    func grammar(text: String, expected: [String], end: Int64?) throws {
        #expect(try marks(text) == expected)
        #expect(try Timeline(text).end == end)
    }

    @Test(
        "Timelines: the error for an invalid timeline has the position of the invalid character",
        arguments: [
            ("a-é", 2), ("a(b", 1), ("a)", 1), ("a()", 2), ("a|b", 2), ("a||", 2), ("((a))", 1), ("(a-b)", 2),
            ("(a|)", 2),
            ("a_b", 1),
        ])
    func mistakes(text: String, offset: Int) {
        #expect { try Timeline(text) } throws: { ($0 as? Timeline.Mistake)?.offset == offset }
    }

    @Test("Timelines: printed below each other, equal ticks share a column, and each timeline can be read back")
    func drawn() throws {
        let lines = Timeline.drawn([[0: ["a"], 1: ["b", "c"]], [1: ["x"], 3: ["d"]]], upTo: 3)
        #expect(lines == ["a(bc)--|", "-x   -d|"])
        #expect(try marks(lines[1]) == ["x1", "d3"])
    }

    @Test("Timelines: in Swift, a source emits a payload for each letter at its tick, and ends with the timeline")
    func source() async throws {
        let out = Collector<TestNumber>()
        var plan = Plan.building(mode: .live)
        plan.add(
            "in",
            source: TimelineSource(try Timeline("a-b-|"), every: 1000, ["a": 1, "b": 2] as [Character: TestNumber]))
        plan.add("out", sink: out.sink())
        var options = Run.Options()
        options.clock = VirtualClock()
        let report = await Run(plan, options: options).finished()
        #expect(out.frames.map(\.payload) == [1, 2])
        #expect(out.frames.map(\.timestamp.rawValue) == [0, 2000])
        #expect(report.duration == 4_000_000)
    }
}
