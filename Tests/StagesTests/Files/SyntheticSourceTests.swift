import Pipeline
import Testing

@testable import Stages

@Suite("The synthetic source")
struct SyntheticSourceTests {
    private func strokes(
        limit: Int = 64, clock: any RunClock = SkippingClock(), stopAfter: Int = .max,
        _ change: (inout SyntheticSource.Options) -> Void = { _ in }
    ) async throws -> Reading<Stroke> {
        var options = SyntheticSource.Options()
        change(&options)
        return try await drain(
            DrawnStrokes<Stroke>(options) { $0.append($1) }, limit: limit, clock: clock, stopAfter: stopAfter)
    }

    @Test("The synthetic source draws the same strokes from the same seed for any batch size")
    func seed() async throws {
        let first = try await strokes()
        #expect(first.frames.count == 100)
        #expect(try await strokes(limit: 1).frames == first.frames)
        #expect(try await strokes { $0.seed = 2 }.frames != first.frames)
    }

    @Test("The synthetic source draws every shape in turn, labeled, inside its box")
    func shapes() async throws {
        let frames = try await strokes { $0.noise = 0 }.frames
        for (frame, shape) in zip(frames, SyntheticShape.simple) {
            #expect(frame.payload.label == shape.rawValue)
            #expect(frame.payload.samples.count == 64)
            // Shapes are rotated by up to 10° and scaled by up to 1.2. So the corners of their box are at most 0.6·√2 times the
            // unscaled side from the middle.
            #expect(frame.payload.samples.allSatisfy { $0.isFinite && abs($0.x - 125) < 213 && abs($0.y - 125) < 213 })
        }
    }

    @Test("The synthetic source draws letters in strokes of any order and direction, never more than 300 ms apart")
    func letters() async throws {
        let letters = SyntheticShape.allCases.filter { !$0.ways.isEmpty }
        #expect(letters.count + SyntheticShape.simple.count == SyntheticShape.allCases.count)
        let frames = try await strokes {
            ($0.shapes, $0.noise, $0.count, $0.points) = (letters, 0, letters.count * 20, 16)
        }.frames
        var pictures: [String: Set<UInt64>] = [:]
        var beginnings: Set<[Int]> = []
        for (index, frame) in frames.enumerated() {
            let stroke = frame.payload
            #expect(stroke.label == letters[index % letters.count].rawValue)
            #expect(stroke.samples.count == 16)
            let ranges = stroke.strokeRanges
            #expect(ranges.allSatisfy { $0.count >= 2 } && ranges.last?.upperBound == 16)
            for (before, after) in zip(ranges, ranges.dropFirst()) {
                let pause = stroke.samples[after.lowerBound].t - stroke.samples[before.upperBound - 1].t
                #expect(pause > 10_000 && pause < 300_000)
            }
            pictures[stroke.label ?? "", default: []].insert(try apply(Rasterize(), to: stroke).bits)
            if stroke.label == "H" { beginnings.insert(ranges.map(\.count)) }
        }
        #expect(
            beginnings.count > 1,
            "the strokes of an H should be drawn in different orders: its bar has fewer points than its stems")
        #expect(pictures.count == letters.count)
    }

    @Test("synthetic source: the stage segment joins the pieces of letters into the same strokes")
    func letterPieces() async throws {
        var options = SyntheticSource.Options()
        (options.shapes, options.count, options.points) = ([.letterE, .letterH, .letterI], 30, 12)
        let strokes = try await drain(DrawnStrokes<Stroke>(options) { $0.append($1) }).frames.map(\.payload)
        let pieces = try await drain(DrawnStrokes<Points>(options, cut: DrawnStrokes.pieces)).frames
        let segment = StageBench(Segment())
        for piece in pieces { try segment.send(piece.payload, at: piece.timestamp) }
        try segment.finish()
        #expect(segment.output.map(\.payload.counts) == strokes.map(\.counts))
        #expect(segment.output.map { $0.payload.samples.map(\.x) } == strokes.map { $0.samples.map(\.x) })
    }

    @Test("The synthetic source stamps strokes at the given rate")
    func times() async throws {
        let frames = try await strokes {
            $0.rateHz = 4
            $0.count = 5
        }.frames
        #expect(frames.map(\.payload.start.rawValue) == [0, 250_000, 500_000, 750_000, 1_000_000])
        #expect(frames.map(\.timestamp.rawValue) == [125_000, 375_000, 625_000, 875_000, 1_125_000])
    }

    @Test("The synthetic source with a replay rate waits by the given clock")
    func rate() async throws {
        let clock = SkippingClock()
        let begin = clock.now
        let reading = try await strokes(clock: clock) {
            $0.rate = .times(2)
            $0.count = 3
        }
        #expect(reading.times.map { $0 - begin } == [0, 500_000_000, 1_000_000_000])
    }

    @Test("The synthetic source with count 0 draws without end")
    func endless() async throws {
        #expect(try await strokes(stopAfter: 500) { $0.count = 0 }.frames.count >= 500)
    }

    @Test("The synthetic source gives every stream a stroke in turn")
    func streams() async throws {
        let frames = try await strokes {
            $0.streams = 3
            $0.count = 6
        }.frames
        #expect(frames.map(\.stream.name) == ["pen/1", "pen/2", "pen/3", "pen/1", "pen/2", "pen/3"])
        #expect(frames.map(\.sequence) == [0, 0, 0, 1, 1, 1])
    }

    @Test("The synthetic source sends the pieces of strokes in order, as a pen would", arguments: [1.0, 99_999.9])
    func points(_ rate: Double) async throws {
        var options = SyntheticSource.Options()
        options.count = 3
        options.rateHz = rate
        options.points = 5
        let reading = try await drain(DrawnStrokes<Points>(options, cut: DrawnStrokes.pieces))
        #expect(
            reading.frames.map(\.payload.phase)
                == Array(repeating: [.begin, .move, .move, .move, .end], count: 3).flatMap { $0 })
        #expect(zip(reading.frames, reading.frames.dropFirst()).allSatisfy { $0.timestamp < $1.timestamp })
        #expect(reading.frames.map(\.sequence) == Array(0..<15))
    }
}
