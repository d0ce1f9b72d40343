import Foundation
import Pipeline
import PipelineTesting
import Testing

@testable import Stages

@Suite("smooth")
struct SmoothTests {
    private func options(_ change: (inout Smooth.Options) -> Void) -> Smooth.Options {
        var options = Smooth.Options()
        change(&options)
        return options
    }

    private func vectors(_ values: [Double], every us: Int64 = 100_000) -> [Frame<FeatureVector>] {
        values.enumerated().map { Frame(FeatureVector(values: [$1]), at: .microseconds(Int64($0) * us)) }
    }

    private func smooth(
        _ values: [Double], every us: Int64 = 100_000, _ change: (inout Smooth.Options) -> Void
    ) async -> [Double] {
        await StageHarness(SmoothVectors(options(change))).run(vectors(values, every: us)).payloads.map {
            $0.values[0]
        }
    }

    @Test(
        "smooth: the 1€ filter agrees with every row of its authors' trace",
        .enabled(if: GestureData.isThere, "PIPELINE_DATA is not set"))
    func oneEuroTrace() async throws {
        let path = "\(GestureData.folder ?? "")/one_euro/groundTruth.csv"
        let rows = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").dropFirst().map { line in
            line.split(separator: ",").compactMap { Double($0) }
        }
        #expect(rows.count == 1200)
        let frames = rows.map { row in
            Frame(FeatureVector(values: [row[2]]), at: .microseconds(Int64((row[0] * 1e6).rounded())))
        }
        // The trace was created with a cutoff of 1 Hz and a beta of 0.1.
        let result = await StageHarness(SmoothVectors(options { $0.beta = 0.1 })).run(frames)
        let errors = zip(result.payloads, rows).map { abs($0.values[0] - $1[3]) }
        #expect(errors.count == 1200)
        #expect(errors.max() ?? 1 < 1e-4)
        print("one_euro: largest error", errors.max() ?? 1)
    }

    @Test("smooth: the 1€ filter at rest is a low-pass filter with the configured cutoff")
    func oneEuroAtRest() async {
        // With Δt = 1/(2π·cutoff), α is 1/2 by its definition 1/(1 + τ/Δt).
        let cutoff = 1e6 / (2 * .pi * 100_000)
        let result = await smooth([0, 8, 8, 8]) { $0.minCutoffHz = cutoff }
        for (found, wanted) in zip(result, [0.0, 4, 6, 7]) { #expect(abs(found - wanted) < 1e-9) }
    }

    @Test("smooth: the velocity filter agrees with values worked out by hand")
    func velocity() async {
        // Steps of 20 ms, all within the assumed duration of the window. Step 1: the speed is 0.04/0.02 = 2, the share is
        // 1 − 1/(1 + 0.5·2) = 1/2, and the value is 0 + 0.04/2. Step 2: the speed is 0.04/0.04 = 1, the share is 1/3, the input
        // remains at 0.04, and the value is 0.02 + 0.02/3.
        let result = await smooth([0, 0.04, 0.04], every: 20_000) { ($0.method, $0.velocityScale) = (.velocity, 0.5) }
        for (found, wanted) in zip(result, [0, 0.02, 0.02 + 0.02 / 3]) { #expect(abs(found - wanted) < 1e-12) }
        #expect(result.count == 3)
    }

    @Test("smooth: the velocity filter ignores steps before the assumed duration of its window")
    func velocityWindow() async {
        // Steps of 100 ms. The window of two steps is assumed to take two thirtieths of a second, so only the new step counts.
        // Step 1: the speed is 10, and the share is 10/11. Step 2: speed and share are 0, so the value does not change.
        let result = await smooth([0, 1, 1]) { ($0.method, $0.velocityScale) = (.velocity, 1) }
        #expect(abs(result[1] - 10.0 / 11) < 1e-12)
        #expect(result[2] == result[1])
    }

    @Test("smooth: the median removes a single outlier, and at the beginning uses the values there are")
    func median() async {
        let result = await smooth([1, 3, 100, 2, 2, 7]) { ($0.method, $0.window) = (.median, 3) }
        #expect(result == [1, 2, 3, 3, 2, 2])
    }

    @Test(
        "smooth: method none changes nothing, and every method keeps a constant constant",
        arguments: Smooth.Method.allCases)
    func constants(method: Smooth.Method) async {
        #expect(await smooth([5, 5, 5, 5]) { $0.method = method } == [5, 5, 5, 5])
        let moving = await smooth([1, 2, 4]) { $0.method = method }
        #expect((moving == [1, 2, 4]) == (method == .none))
    }

    @Test(
        "smooth: the filter restarts after a pause, but not after lost frames alone",
        arguments: [Smooth.Method.oneEuro, .velocity, .median])
    func pauses(method: Smooth.Method) async {
        var frames = vectors([0, 0, 0, 9], every: 10_000)
        frames[3].gap = 3
        let stage = StageHarness(SmoothVectors(options { ($0.method, $0.maxGapMs) = (method, 100) }))
        #expect(await stage.run(frames).payloads[3].values[0] < 9)
        frames[3].timestamp = .microseconds(20_000 + 100_001)
        #expect(await stage.run(frames).payloads[3].values[0] == 9)
    }

    @Test("smooth: with scale_by box, a large hand is smoothed like a small one")
    func box() async {
        let small = (0..<20).map { Landmarks.typical($0) }
        let large = small.map { hand -> Landmarks in
            var copy = hand
            copy.points = hand.points.map { point($0.x * 1000, $0.y * 1000, $0.z * 1000) }
            return copy
        }
        for method in [Smooth.Method.oneEuro, .velocity] {
            let stage = StageHarness(Smooth(options { ($0.method, $0.beta) = (method, 2) }))
            let (a, b) = (await stage.run(small).payloads, await stage.run(large).payloads)
            #expect(a.count == 20 && b.count == 20)
            for (a, b) in zip(a, b) {
                #expect(agree(a.points.map { point($0.x * 1000, $0.y * 1000, $0.z * 1000) }, b.points, within: 1e-6))
            }
            let unscaled = StageHarness(
                Smooth(options { ($0.method, $0.beta, $0.scaleBy) = (method, 2, Smooth.Scale.none) }))
            let c = await unscaled.run(small).payloads
            #expect(!agree(a[19].points, c[19].points, within: 1e-6))
        }
    }

    @Test("smooth: jitter of a resting hand is reduced to less than a third, and another topology restarts the filter")
    func landmarksOverTime() async {
        var generator = SeededGenerator(seed: 3)
        let hand = Landmarks.typical(0)
        let frames = (0..<200).map { index -> Frame<Landmarks> in
            var noisy = hand
            for place in noisy.points.indices {
                noisy.points[place].x += Double.random(in: -0.01...0.01, using: &generator)
            }
            return Frame(noisy, at: .microseconds(Int64(index) * 33_333))
        }
        let result = await StageHarness(Smooth(options { $0.minCutoffHz = 0.5 })).run(frames).payloads
        func spread(_ hands: [Landmarks]) -> Double {
            let xs = hands.suffix(100).map { $0.points[7].x - hand.points[7].x }
            return (xs.reduce(0) { $0 + $1 * $1 } / 100).squareRoot()
        }
        #expect(spread(result) < spread(frames.map(\.payload)) / 3)
        let other = Frame(landmarks([(0, 0), (1, 1)]), at: .milliseconds(7000))
        let changed = await StageHarness(Smooth()).run(frames + [other]).payloads
        #expect(changed.last == other.payload)
    }

    @Test("smooth: every stroke of points is smoothed by itself, with the times of its samples")
    func strokes() async {
        func piece(_ phase: Points.Phase, _ xs: [Double], from us: Double) -> Points {
            let samples = xs.enumerated().map { Sample(x: $1, y: -$1, t: us + Double($0) * 100_000, p: 0.5) }
            return Points(phase: phase, samples: samples, fields: [.time, .pressure])
        }
        let cutoff = 1e6 / (2 * .pi * 100_000)
        let stage = StageHarness(SmoothPoints(options { $0.minCutoffHz = cutoff }))
        let result = await stage.run([
            piece(.begin, [0, 8], from: 0), piece(.move, [8], from: 200_000), piece(.end, [], from: 0),
            piece(.begin, [20], from: 400_000),
        ])
        let xs = result.payloads.flatMap { $0.samples.map(\.x) }
        for (found, wanted) in zip(xs, [0.0, 4, 6, 20]) { #expect(abs(found - wanted) < 1e-9) }
        #expect(result.payloads.flatMap { $0.samples.map(\.p) } == [0.5, 0.5, 0.5, 0.5])
        #expect(result.payloads.map(\.phase) == [.begin, .move, .end, .begin])
    }

    @Test("smooth: scale_by box for vectors is a finding")
    func noBox() {
        let found = findings("  - smooth: { scale_by: box }", source: "stdin: { kind: vector }")
        #expect(found.map(\.code) == ["smooth.no_box"])
    }

    @Test(
        "smooth: a warning names the options that the method does not use",
        arguments: [
            ("method: median, beta: 1", 1), ("window: 3, velocity_scale: 2", 2), ("method: velocity, window: 3", 0),
            ("method: none, beta: 1", 0),
        ])
    func unusedOptions(options: String, count: Int) {
        #expect(
            findings("  - smooth: { \(options) }").map(\.code) == Array(repeating: "option.unused", count: count))
    }

    /// Returns the smoothed positions of a zigzag that arrives in frames. Each frame is given by the times of its samples in
    /// milliseconds, and has the time of the last one.
    private func zigzag(_ frames: [[Int]], isTimed: Bool, _ method: Smooth.Method) async -> [Double] {
        var count = 0
        let input = frames.map { times in
            let samples = times.map { time in
                count += 1
                return Sample(x: count % 2 == 0 ? 8 : 0, y: 0, t: isTimed ? Double(time) * 1000 : 0)
            }
            return Frame(
                Points(phase: .move, samples: samples, fields: isTimed ? .time : []),
                at: .milliseconds(Int64(times.last ?? 0)), stream: "pen", sequence: Int64(count))
        }
        return await StageHarness(SmoothPoints(options { $0.method = method })).run(input).payloads.flatMap {
            $0.samples.map(\.x)
        }
    }

    @Test(
        "smooth: samples that share a time are smoothed as if they had arrived one by one",
        arguments: [Smooth.Method.oneEuro, .velocity, .median])
    func sharedTimes(method: Smooth.Method) async {
        let single = await zigzag((0...8).map { [$0 * 10] }, isTimed: false, method)
        #expect(single.count == 9)
        // Samples without times have the time of their frame.
        let frames = [[0], [10, 20, 30, 40], [50, 60, 70, 80]]
        #expect(await zigzag(frames, isTimed: false, method) == single)
        // The clock of the sender shows the same time for two samples.
        #expect(await zigzag([[0], [20, 20, 40, 40], [60, 60, 80, 80]], isTimed: true, method) == single)
    }

    @Test(
        "smooth: a first frame without times of samples passes unchanged, and smoothing continues from its last sample")
    func untimedBegin() async {
        let cutoff = 1e6 / (2 * .pi * 100_000)
        let pieces = [[0.0, 8, 16], [24]].enumerated().map { number, xs in
            Frame(
                Points(phase: number == 0 ? .begin : .move, samples: xs.map { Sample(x: $0, y: 0) }),
                at: .milliseconds(Int64(number) * 100), stream: "pen", sequence: Int64(number))
        }
        let stage = StageHarness(SmoothPoints(options { $0.minCutoffHz = cutoff }))
        let xs = await stage.run(pieces).payloads.flatMap { $0.samples.map(\.x) }
        for (found, wanted) in zip(xs, [0.0, 8, 16, 20]) { #expect(abs(found - wanted) < 1e-9) }
    }
}
