import PipelineConfiguration
import PipelineTesting
import Stages
import Testing

@testable import Pipeline
@testable import PipelineServer

@Suite("Explanations of results")
struct WhyTests {
    @Test(
        "An explanation repeats a gesture that ended only after a long time without a frame",
        arguments: [300, 120_000, 3_600_000])
    func timeout(milliseconds: Double) async throws {
        let phases: [Points.Phase] = [.begin, .move, .end]
        let events = phases.enumerated().map { index, phase in
            TimelineSource<Points>.Event(
                at: Int64(index) * 10_000,
                Frame(
                    Points(phase: phase, samples: [Sample(x: Double(index), y: 0)]),
                    at: .milliseconds(Int64(index) * 10),
                    stream: "pen", sequence: Int64(index)))
        }
        var options = Segment.Options()
        options.multiStrokeTimeoutMs = milliseconds
        var plan = Plan.building(mode: .live)
        plan.add("pen", source: TimelineSource(events, end: 2 * 3_600_000_000))
        plan.add("segment", stage: Segment(options))
        plan.add("out", sink: Collector<Stroke>().sink())
        var running = Run.Options()
        running.clock = VirtualClock()
        let recorded = await RecordedRun(plan, watch: RunWatch(nodes: plan.producers) {}, options: running)
        let question = try #require(recorded.question { _ in true })
        #expect(question.result.timestamp == .milliseconds(20 + Int64(milliseconds)))
        let answer = String(decoding: await question.answer(), as: UTF8.self)
        #expect(answer.contains("\"same\":true"), "\(answer)")
    }

    @Test("A result cannot be explained if the first viewer came after the beginning of its stroke")
    func lateViewer() {
        let phases: [Points.Phase] = [.begin, .move, .end, .begin, .move]
        let frames = phases.enumerated().map { index, phase in
            WatchedFrame(
                Points(phase: phase, samples: [Sample(x: Double(index), y: 0)]),
                FrameHeader(timestamp: .milliseconds(Int64(index) * 10), stream: "pen", sequence: Int64(index)))
        }
        var plan = Plan.building(mode: .live)
        plan.add("pen", source: TimelineSource<Points>([]))
        plan.add("segment", stage: Segment(Segment.Options()))
        let result = KeptResult(
            WatchedFrame(Stroke(samples: []), FrameHeader(timestamp: .milliseconds(30), stream: "pen", sequence: 2)),
            id: 1, node: 1, payload: nil)
        #expect(WhyQuestion(result, plan) { _ in frames }.problem == nil)
        let problem = WhyQuestion(result, plan) { _ in Array(frames.dropFirst()) }.problem
        #expect(problem?.hasPrefix("the input of the result is not kept") == true)
    }
}
