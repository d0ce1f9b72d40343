import Pipeline
import PipelineTesting
import Testing

@testable import Stages

@Suite("spot on recorded people")
struct RealSpotTests {
    @Test(
        "finds the gestures that people drew with a mouse among other movements, from one sample of each: F1 ≥ 94.9",
        .enabled(if: GestureData.isThere, "PIPELINE_DATA is not set"))
    func sessions() async throws {
        var total = SpotScore()
        for person in MouseSession.people {
            let session = try MouseSession(person: person)
            let frames = session.frames
            var score = SpotScore()
            for draw in 0..<MouseSession.draws {
                let stage = try Spot.points(session.library(draw: draw, samples: 1))
                let result = await StageHarness(stage).run(frames)
                #expect(result.report.isSuccess)
                score.add(result.frames, in: session)
                total.add(result.frames, in: session)
            }
            print("spot \(person): F1 \(score.f1)")
        }
        print(
            "spot: F1 \(total.f1), \(total.hits) hits, \(total.falseAlarms) false alarms, \(total.misses) misses; delay: median",
            "\(total.delay(0.5)) ms, p90 \(total.delay(0.9)) ms;",
            "false alarms in the first minute without gesture: \(total.early) in \(4 * MouseSession.draws) runs")
        #expect(total.hits + total.misses == 600)
        #expect(total.f1 >= 94.9)
        #expect(total.delay(0.5) <= 60)
    }
}
