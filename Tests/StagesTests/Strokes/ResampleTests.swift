import Pipeline
import PipelineTesting
import Testing

@testable import Stages

@Suite("resample")
struct ResampleTests {
    @Test("resample: a corner is resampled to exactly N equidistant points, first and last kept")
    func corner() throws {
        let corner = stroke([(0, 0), (10, 0), (10, 10)])
        let result = try apply(Resample(points: 5), to: corner)
        #expect(result.samples.map(\.x) == [0, 5, 10, 10, 10])
        #expect(result.samples.map(\.y) == [0, 0, 0, 5, 10])
    }

    @Test("resample: resampling gives exactly N points for any N", arguments: [2, 3, 16, 63, 64, 200, 201, 4096])
    func exactCount(points: Int) throws {
        let input = egg(count: 37)
        let result = try apply(Resample(points: points), to: input)
        #expect(result.samples.count == points)
        #expect(result.samples.first == input.samples.first)
        #expect(result.samples.last == input.samples.last)
    }

    @Test("resample: along a straight line all intervals are equal")
    func evenIntervals() throws {
        let uneven = stroke([0, 1, 1.5, 7, 30, 30, 30.25, 90].map { ($0 * 3, $0 * 4) })
        let result = try apply(Resample(points: 40), to: uneven)
        let intervals = zip(result.samples, result.samples.dropFirst()).map { $0.distance(to: $1) }
        #expect(intervals.allSatisfy { abs($0 - 450.0 / 39) < 1e-9 })
    }

    @Test("resample: time and pressure are interpolated like the position")
    func timeAndPressure() throws {
        let input = Stroke(
            samples: [
                Sample(x: 0, y: 0, t: 0, p: 0), Sample(x: 4, y: 0, t: 400, p: 1), Sample(x: 8, y: 0, t: 1200, p: 0),
            ],
            fields: [.time, .pressure])
        let result = try apply(Resample(points: 5), to: input)
        #expect(result.samples.map(\.t) == [0, 200, 400, 800, 1200])
        #expect(result.samples.map(\.p) == [0, 0.5, 1, 0.5, 0])
        #expect(result.fields == [.time, .pressure])
    }

    @Test("resample: whole joins the strokes in the order drawn; per_stroke gives each its N points")
    func severalStrokes() throws {
        let cross = Stroke(
            samples: [Sample(x: 0, y: 0), Sample(x: 10, y: 0), Sample(x: 10, y: 10), Sample(x: 10, y: 20)],
            counts: [2, 2])
        let whole = try apply(Resample(points: 4), to: cross)
        #expect(whole.counts.isEmpty)
        #expect(whole.samples.map(\.y) == [0, 0, 10, 20])
        let each = try apply(Resample(points: 3, mode: .perStroke), to: cross)
        #expect(each.counts == [3, 3])
        #expect(each.samples.map(\.x) == [0, 5, 10, 10, 10, 10])
        #expect(each.samples.map(\.y) == [0, 0, 0, 10, 15, 20])
    }

    @Test(
        "resample: spacing puts points at equal distances, and keeps the last",
        arguments: [(10.0, [0.0, 10, 20, 25]), (5.0, [0.0, 5, 10, 15, 20, 25])] as [(Double, [Double])])
    func spacing(distance: Double, expected: [Double]) throws {
        let line = stroke([(0, 0), (13, 0), (25, 0)])
        let result = try apply(Resample(spacing: distance), to: line)
        #expect(largestDifference(result.samples.map(\.x), expected) < 1e-9)
        #expect(result.samples.last?.x == 25)
    }

    @Test("resample: a spacing that would make millions of points is refused")
    func tooMany() {
        #expect(throws: PipelineError.self) { try apply(Resample(spacing: 1e-9), to: egg()) }
    }

    @Test("resample: points agree with an independent program that follows the paper's pseudocode")
    func peer() throws {
        let trace = try PeerTrace.load()
        for (gesture, expected) in zip(trace.gestures, trace.resampled) {
            let result = try apply(Resample(points: 16), to: gesture)
            #expect(largestDifference(result.coordinates, expected.flatMap { $0 }) < 1e-9)
        }
    }

    @Test("resample: points are the same, to the bit, as those that a walk along the path finds")
    func walk() throws {
        var random = SplitMix64(seed: 4)
        for round in 0..<4_000 {
            let points = Int.random(in: 2...130, using: &random)
            let input = Stroke(samples: Self.path(round, using: &random))
            let result = try apply(Resample(points: points), to: input)
            let expected = Self.walked(input.samples, points)
            #expect(result.samples.map(\.bits) == expected.map(\.bits), "round \(round)")
        }
    }

    @Test("resample: a stage leaves nothing over from one gesture to the next, whatever their lengths and strokes")
    func reuse() async {
        var random = SplitMix64(seed: 5)
        let gestures = (0..<600).map { round in
            let parts = (0..<Int.random(in: 1...4, using: &random)).map { _ in Self.path(round, using: &random) }
            return Stroke(samples: parts.flatMap { $0 }, counts: parts.map(\.count))
        }
        for points in [2, 16, 64] {
            let frames = gestures.enumerated().map { Frame($1, at: .milliseconds(Int64($0)), sequence: Int64($0)) }
            let result = await StageHarness(Resample(points: points, mode: .perStroke)).run(frames)
            #expect(result.frames.count == frames.count)
            for (frame, gesture) in zip(result.frames, gestures) {
                let expected = gesture.strokeRanges.flatMap { Self.walked(Array(gesture.samples[$0]), points) }
                #expect(frame.payload.samples.map(\.bits) == expected.map(\.bits), "gesture \(frame.sequence)")
            }
        }
    }

    /// Returns a path. Some points of it coincide, or will coincide with resampled points, and some lengths are 0 or nearly so.
    private static func path(_ round: Int, using random: inout SplitMix64) -> [Sample] {
        (0..<Int.random(in: 1...70, using: &random)).map { place in
            func number() -> Double {
                switch round % 5 {
                case 0: Double(place)
                case 1: Double(place / 3) * 0.1
                case 2: Double(Int.random(in: -2...2, using: &random))
                case 3: Double(Int.random(in: 0...40, using: &random)) * .leastNonzeroMagnitude
                default: Double.random(in: -1e150...1e150, using: &random)
                }
            }
            return Sample(x: number(), y: number(), t: Double(place) * 8000, p: -0.0)
        }
    }

    /// Resamples a path by walking along it from sample to sample.
    private static func walked(_ samples: [Sample], _ points: Int) -> [Sample] {
        let lengths = zip(samples, samples.dropFirst()).map { a, b in
            ((b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y)).squareRoot()
        }
        let step = lengths.reduce(0, +) / Double(points - 1)
        var (place, before) = (0, 0.0)
        return (0..<points).map { k in
            if k == points - 1 { return samples[samples.count - 1] }
            while place + 1 < lengths.count, before + lengths[place] < step * Double(k) {
                before += lengths[place]
                place += 1
            }
            let a = samples[place]
            guard k > 0, place < lengths.count, lengths[place] > 0 else { return a }
            let (b, share) = (samples[place + 1], min(max((step * Double(k) - before) / lengths[place], 0), 1))
            return Sample(
                x: a.x + share * (b.x - a.x), y: a.y + share * (b.y - a.y), t: a.t + share * (b.t - a.t),
                p: a.p + share * (b.p - a.p))
        }
    }

    @Test("resample: hostile strokes give finite output or are refused", arguments: HostileStroke.allCases)
    func hostile(input: HostileStroke) throws {
        for stage in [Resample(), Resample(points: 7, mode: .perStroke), Resample(spacing: 0.1)] {
            guard let result = try refusedOrValue({ try apply(stage, to: input.stroke) }) else { continue }
            #expect(result.samples.allSatisfy { $0.isFinite })
        }
    }

    @Test("resample: only strokes that are empty, not finite, too large or inconsistent are refused")
    func refusals() throws {
        for input in [HostileStroke.onePoint, .allEqual, .vertical, .subnormal, .huge, .million, .farAway] {
            #expect(try apply(Resample(points: 64), to: input.stroke).samples.count == 64, "\(input)")
        }
        for input in [HostileStroke.empty, .nan, .infinite, .nanTime, .beyondLimit, .badCounts, .negativeCounts] {
            #expect(throws: PipelineError.self, "\(input)") { try apply(Resample(), to: input.stroke) }
        }
    }

    @Test("resample: a sample is refused if any of its numbers is NaN, infinite or just above the limit")
    func limits() throws {
        let fields: [WritableKeyPath<Sample, Double>] = [\.x, \.y, \.t, \.p]
        for field in fields {
            for place in 0..<9 {
                var input = Stroke(samples: (0..<9).map { Sample(x: Double($0), y: -0.0, t: 3) })
                for number in [1e150, -1e150, .leastNonzeroMagnitude] {
                    input.samples[place][keyPath: field] = number
                    try input.check()
                }
                for number in [1e150.nextUp, -1e150.nextUp, .greatestFiniteMagnitude, -.infinity, .nan, -.nan] {
                    input.samples[place][keyPath: field] = number
                    let error = #expect(throws: PipelineError.self) { try input.check() }
                    #expect(error?.code == "stroke.not_finite" && error?.message.hasPrefix("sample \(place) ") == true)
                }
            }
        }
    }

    @Test("resample: the input is not changed")
    func pure() throws {
        let input = egg()
        let copy = input
        _ = try apply(Resample(), to: input)
        #expect(input == copy)
    }

    @Test("resample: per_stroke refuses a gesture whose strokes together would have millions of points")
    func tooManyStrokes() throws {
        func strokes(_ count: Int) -> Stroke {
            Stroke(
                samples: (0..<2 * count).map { Sample(x: Double($0), y: 0) },
                counts: Array(repeating: 2, count: count))
        }
        let stage = Resample(points: 65_536, mode: .perStroke)
        #expect(try apply(stage, to: strokes(16)).samples.count == 1_048_576)
        let error = #expect(throws: PipelineError.self) { try apply(stage, to: strokes(17)) }
        #expect(error?.code == "resample.too_many")
    }
}

extension Sample {
    fileprivate var bits: [UInt64] { [x, y, t, p].map(\.bitPattern) }
}
