import Foundation
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

    /// Returns 21 points that differ from those of another number.
    private func hand(_ number: Double) -> Landmarks {
        Landmarks(points: (0..<21).map { .init(x: cos(Double($0) + number), y: sin(number * Double($0))) })
    }

    /// Returns the explanation of the result of a stage after a camera.
    private func explanation<S: Stage>(of stage: S, for input: S.Input) async throws -> [String: Any] {
        let frame = Frame(input, at: .zero, stream: "camera", sequence: 0)
        var plan = Plan.building(mode: .live)
        plan.add("camera", source: TimelineSource([.init(at: 0, frame)], end: 1_000_000))
        plan.add("stage", stage: stage)
        plan.add("out", sink: Collector<S.Output>().sink())
        var running = Run.Options()
        running.clock = VirtualClock()
        let recorded = await RecordedRun(plan, watch: RunWatch(nodes: plan.producers) {}, options: running)
        let question = try #require(recorded.question { _ in true })
        let answer = await question.answer()
        return try #require(try JSONSerialization.jsonObject(with: Data(answer)) as? [String: Any])
    }

    @Test("A custom gesture of a hand is explained by the nearest samples; inside of each, it is not, and this is said")
    func customGestures() async throws {
        let library = GestureLibrary(gestures: [
            .init(name: "a", kind: .hand21, hands: [hand(1)]), .init(name: "b", kind: .hand21, hands: [hand(2)]),
        ])
        var options = RecognizeHand.Options()
        options.custom = CustomGestureOptions()
        options.custom?.maxDistance = 0.1
        let stage = try RecognizeHand.stage(options, library: library)
        let answer = try await explanation(of: stage, for: hand(1))
        let candidates = try #require(answer["candidates"] as? [[String: Any]])
        #expect(candidates.map { $0["template"] as? String } == ["a-1", "b-1"])
        #expect(answer["accepted"] as? Bool == true && answer["same"] as? Bool == true)
        #expect((answer["sentence"] as? String)?.hasPrefix("Accepted as a: the nearest is a with the score 1") == true)
        let subject = answer["subject"] as? [String: Any]
        #expect(subject?["node"] as? String == "camera")
        let other = try await explanation(of: stage, for: hand(3))
        #expect(other["accepted"] as? Bool == false)
        let sentence = try #require(other["sentence"] as? String)
        #expect(sentence.hasPrefix("Rejected: the nearest is ") && sentence.contains("So the canned gestures decide: "))

        let each = Each.hand(StageChain(stage))
        let nested = try await explanation(of: each, for: Hands(hands: [hand(1)]))
        #expect((nested["candidates"] as? [Any])?.isEmpty == true)
        #expect(
            nested["sentence"] as? String
                == "stage.RecognizeHandStage compares each hand with templates, but results for single hands are not "
                + "explained. The steps show the output of each stage.")
        let canned = Each.hand(StageChain(try RecognizeHand.stage()))
        let plain = try await explanation(of: canned, for: Hands(hands: [hand(1)]))
        #expect((plain["sentence"] as? String)?.hasPrefix("No stage upstream compares frames") == true)
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
