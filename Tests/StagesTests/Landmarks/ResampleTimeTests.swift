import Pipeline
import PipelineTesting
import Testing

@testable import Stages

@Suite("resample_time")
struct ResampleTimeTests {
    private func options(hz: Double, maxGapMs: Double = 200) -> ResampleTime.Options {
        var options = ResampleTime.Options()
        (options.hz, options.maxGapMs) = (hz, maxGapMs)
        return options
    }

    private func frame(_ x: Double, at us: Int64, gap: Int32 = 0, track: Int? = nil) -> Frame<Landmarks> {
        var made = landmarks([(x, -x), (2 * x, 0)])
        made.track = track
        return Frame(made, at: .microseconds(us), gap: gap)
    }

    private func run(_ frames: [Frame<Landmarks>], hz: Double, maxGapMs: Double = 200) async -> [(Int64, Double)] {
        let stage = ResampleTime(options(hz: hz, maxGapMs: maxGapMs))
        return await StageHarness(stage).run(frames).frames.map { ($0.timestamp.rawValue, $0.payload.points[0].x) }
    }

    @Test("resample_time: frames are interpolated linearly at an even rate that starts with the first frame")
    func even() async {
        // In the input, x is the time in milliseconds, so x must be the time in the output, too.
        let frames = [0, 7, 31, 32, 90, 100].map { frame(Double($0), at: Int64($0) * 1000) }
        let found = await run(frames, hz: 50)
        #expect(found.map(\.0) == [0, 20_000, 40_000, 60_000, 80_000, 100_000])
        for (time, x) in found { #expect(abs(x - Double(time) / 1000) < 1e-9) }
    }

    @Test("resample_time: a rate that does not divide a second does not drift")
    func noDrift() async {
        let frames = (0...3000).map { frame(Double($0), at: Int64($0) * 1000) }
        let found = await run(frames, hz: 30)
        #expect(found.count == 91)
        #expect(found.last?.0 == 3_000_000)
        #expect(found[1].0 == 33_333)
        #expect(found[2].0 == 66_667)
    }

    @Test("resample_time: after a pause, after missing frames and with another track, resampling starts over")
    func anew() async {
        let base = [frame(0, at: 0), frame(10, at: 10_000)]
        for next in [frame(999, at: 400_000), frame(999, at: 25_000, gap: 1), frame(999, at: 25_000, track: 4)] {
            let found = await run(base + [next], hz: 100)
            #expect(found.map(\.1) == [0, 10, 999])
        }
    }

    @Test("resample_time: confidences and world positions are interpolated, and all else comes from the later frame")
    func everything() async {
        var (a, b) = (Landmarks.typical(0), Landmarks.typical(0))
        b.confidences = a.confidences.map { $0 + 0.1 }
        b.world = a.world.map { point($0.x + 1, $0.y, $0.z) }
        b.handedness = "Left"
        let stage = ResampleTime(options(hz: 100))
        let result = await StageHarness(stage).run([
            Frame(a, at: .zero), Frame(b, at: .milliseconds(20)),
        ])
        #expect(result.payloads.count == 3)
        let middle = result.payloads[1]
        #expect(zip(middle.confidences, a.confidences).allSatisfy { abs($0 - $1 - 0.05) < 1e-12 })
        #expect(agree(middle.world, a.world.map { point($0.x + 0.5, $0.y, $0.z) }))
        #expect(middle.handedness == "Left")
    }

    @Test("resample_time: the samples of a stroke are resampled, and stay in the pieces in which they came")
    func points() async {
        func piece(_ phase: Points.Phase, _ ms: [Double]) -> Points {
            Points(phase: phase, samples: ms.map { Sample(x: $0, y: 2 * $0, t: $0 * 1000) }, fields: .time)
        }
        let stage = ResampleTimeOfPoints(options(hz: 100))
        let result = await StageHarness(stage).run([
            piece(.begin, [0, 4]), piece(.move, [15]), piece(.move, [19]), piece(.end, [31]), piece(.begin, [40, 55]),
        ])
        #expect(result.payloads.map(\.phase) == [.begin, .move, .end, .begin])
        #expect(result.payloads.map { $0.samples.map(\.x) } == [[0], [10], [20, 30], [40, 50]])
        #expect(result.payloads.map { $0.samples.map(\.t) } == [[0], [10_000], [20_000, 30_000], [40_000, 50_000]])
        #expect(result.ledger.absorbed == 1)
    }

    @Test("resample_time: frames with several samples without times lose no sample")
    func untimedPoints() async {
        func frame(_ xs: [Double], at ms: Int64) -> Frame<Points> {
            Frame(
                Points(phase: ms == 0 ? .begin : .move, samples: xs.map { Sample(x: $0, y: 0) }), at: .milliseconds(ms),
                stream: "pen", sequence: ms)
        }
        let stage = StageHarness(ResampleTimeOfPoints(options(hz: 100)))
        let result = await stage.run([frame([0], at: 0), frame([1, 4, 9, 16], at: 40)])
        #expect(result.payloads.map { $0.samples.map(\.x) } == [[0], [1, 4, 9, 16]])
        #expect(result.payloads[1].samples.map { $0.t + 40_000 } == [10_000, 20_000, 30_000, 40_000])
    }
}
