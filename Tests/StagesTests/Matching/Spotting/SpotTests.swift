import Foundation
import Pipeline
import PipelineComponents
import PipelineTesting
import Testing

@testable import Connectors
@testable import Stages

@Suite("spot")
struct SpotTests {
    private static let drawable = ["star", "triangle", "zigzag", "rectangle"]

    private static var samples: URL {
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Samples")
    }

    private static func library() throws -> GestureLibrary {
        let all = try GestureLibrary(readingFrom: samples.appending(path: "shapes.json").path)
        return GestureLibrary(gestures: all.gestures.filter { drawable.contains($0.name) })
    }

    /// Returns single points of a mouse, 10 ms apart.
    private static func frames(
        _ places: [(x: Double, y: Double)], from start: Int64 = 0, phase: Points.Phase = .move,
        stream: StreamID = "mouse"
    ) -> [Frame<Points>] {
        places.enumerated().map { index, place in
            Frame(
                Points(phase: phase, samples: [Sample(x: place.x, y: place.y)]),
                at: .milliseconds(start + Int64(index) * 10), stream: stream, sequence: Int64(index))
        }
    }

    /// Returns a path from one point to another along an arc, without corners that could be part of a shape.
    private static func arc(from: (x: Double, y: Double), to: (x: Double, y: Double)) -> [(x: Double, y: Double)] {
        (1...40).map { index in
            let u = Double(index) / 40
            let bulge = 120 * sin(.pi * u)
            return (x: from.x + (to.x - from.x) * u + bulge, y: from.y + (to.y - from.y) * u - bulge)
        }
    }

    /// Returns a sample of the library at another position and size, with the given number of points.
    private static func drawn(
        _ sample: Stroke, at place: (x: Double, y: Double), scale: Double, points: Int
    ) throws -> [(x: Double, y: Double)] {
        return try apply(Resample(points: points), to: sample).samples.map {
            (x: place.x + scale * $0.x, y: place.y + scale * $0.y)
        }
    }

    private func found(_ frames: [Frame<Points>], _ change: (inout Spot.Options) -> Void = { _ in }) async throws
        -> StageHarness<SpotPointsStage>.Result
    {
        var options = Spot.Options()
        change(&options)
        return await StageHarness(try SpotPointsStage(try Self.library(), options)).run(frames)
    }

    @Test(
        "spot finds each shape between other movements, at any size, with its start and end",
        arguments: drawable
    )
    func finds(name: String) async throws {
        let sample = try #require(try Self.library()[name]?.samples.last)
        for (scale, points) in [(0.5, 60), (1.0, 80), (2.5, 160)] {
            let shape = try Self.drawn(sample, at: (500, 300), scale: scale, points: points)
            let before = Self.arc(from: (0, 900), to: shape[0])
            let after = Self.arc(from: shape[shape.count - 1], to: (1500, 1000))
            let result = try await found(Self.frames(before + shape + after))
            #expect(result.payloads.last?.best.name == name, "\(scale)")
            // Half of a star may first be reported as a triangle. No name is reported twice.
            #expect(Set(result.payloads.map(\.best.name)).count == result.payloads.count)
            let recognition = try #require(result.payloads.last)
            let truth = (begin: Int64(before.count) * 10_000, end: Int64(before.count + points - 1) * 10_000)
            let tolerance = 100_000 + (truth.end - truth.begin) / 5
            #expect(abs(recognition.start.rawValue - truth.begin) <= tolerance, "\(scale)")
            #expect(abs(recognition.end.rawValue - truth.end) <= tolerance, "\(scale)")
            #expect(recognition.margin > 0 && recognition.best.score > 0.78)
            // All frames are accounted for: none was dropped or lost.
            #expect(result.report.isSuccess && result.drops.isEmpty)
        }
    }

    @Test("spot emits a gesture at most max_delay_ms after its last movement", arguments: [0.0, 30, 60, 400])
    func delay(ms: Double) async throws {
        let sample = try #require(try Self.library()["star"]?.samples.first)
        let shape = try Self.drawn(sample, at: (0, 0), scale: 2, points: 120)
        let rest = Array(repeating: shape[shape.count - 1], count: 100)
        let after = Self.arc(from: shape[shape.count - 1], to: (1500, 1000))
        for end in [rest, after] {
            let result = try await found(Self.frames(shape + end)) { $0.maxDelayMs = ms }
            #expect(result.payloads.map(\.best.name) == ["star"])
            let frame = try #require(result.frames.first)
            // The end of a gesture may be off by a few steps.
            #expect(frame.timestamp.microseconds(since: frame.payload.end) <= Int64(ms * 1000) + 60_000)
        }
    }

    @Test("spot gives the same results for one point per frame and for several")
    func batches() async throws {
        let sample = try #require(try Self.library()["rectangle"]?.samples.first)
        let shape = try Self.drawn(sample, at: (0, 0), scale: 1, points: 90)
        let places = shape + Self.arc(from: shape[shape.count - 1], to: (1500, 1000))
        let single = try await found(Self.frames(places))
        let samples = places.enumerated().map { Sample(x: $1.x, y: $1.y, t: Double($0) * 10_000) }
        let pieces = stride(from: 0, to: samples.count, by: 5).map { begin in
            let part = Array(samples[begin..<min(begin + 5, samples.count)])
            return Frame(
                Points(phase: .move, samples: part, fields: .time),
                at: Timestamp(rawValue: Int64(part[part.count - 1].t)),
                stream: "mouse", sequence: Int64(begin))
        }
        let many = try await found(pieces)
        #expect(single.payloads.map(\.best.name) == ["rectangle"])
        #expect(single.payloads == many.payloads)
    }

    @Test(
        "spot finds the same gestures in a recording, whether frames have one sample or several, with any time of theirs",
        arguments: [2, 7, 20, 60], [false, true])
    func grouped(size: Int, atFirst: Bool) async throws {
        var options = FileSource.Options()
        options.path = FilePath(Self.samples.appending(path: "mouse.jsonl").path)
        let single = try await drain(FileReplay<Points>(options, defaultStream: "mouse")).frames
        let found = try await found(single).payloads
        #expect(found.map(\.best.name) == ["star", "triangle", "rectangle", "zigzag", "star", "triangle"])
        let groups = stride(from: 0, to: single.count, by: size).map { begin in
            let part = single[begin..<min(begin + size, single.count)]
            let samples = part.flatMap { frame in
                frame.payload.samples.map { Sample(x: $0.x, y: $0.y, t: Double(frame.timestamp.rawValue)) }
            }
            return Frame(
                Points(phase: .move, samples: samples, fields: .time),
                at: part[atFirst ? part.startIndex : part.endIndex - 1].timestamp, stream: "mouse",
                sequence: Int64(begin))
        }
        #expect(try await self.found(groups).payloads == found)
    }

    @Test("spot does not report the samples of none_class, nor a worse match that overlaps one of them")
    func noneClass() async throws {
        var library = try Self.library()
        let triangle = try #require(library["triangle"]?.samples.last)
        let star = try #require(library["star"]?.samples.last)
        func names(_ sample: Stroke, _ change: (inout Spot.Options) -> Void = { _ in }) async throws -> [[String]] {
            var options = Spot.Options()
            change(&options)
            let frames = Self.frames(try Self.drawn(sample, at: (0, 0), scale: 1, points: 120))
            return await StageHarness(try SpotPointsStage(library, options)).run(frames).payloads
                .map { $0.categories.map(\.name) }
        }
        #expect(try await names(triangle).map(\.first) == ["triangle"])
        library.gestures = library.gestures.map { gesture in
            var gesture = gesture
            if gesture.name == "triangle" { gesture.name = "none" }
            return gesture
        }
        #expect(try await names(triangle).isEmpty)
        #expect(try await names(triangle) { $0.noneClass = "other" }.map(\.first) == ["none"])
        #expect(try await names(star) { $0.maxDistance = 10 }.allSatisfy { !$0.contains("none") })
        let context = BuildContext()
        var options = Spot.Options()
        options.categories.allowlist = ["star"]
        let allowed = try SpotLibrary(library, options, step: 10, context)
        #expect(Set(allowed.categories.map(\.name)) == ["star", "none"] && allowed.none != nil)
        (options.categories.allowlist, options.categories.denylist) = ([], ["none"])
        #expect(try SpotLibrary(library, options, step: 10, context).none == nil)
        let onlyNone = GestureLibrary(gestures: library.gestures.filter { $0.name == "none" })
        #expect { try Spot.points(onlyNone) } throws: { ($0 as? PipelineError)?.code == "match.empty_library" }
    }

    @Test("spot finds the same gestures in samples without times, whether they arrive one by one or several in a frame")
    func untimed() async throws {
        let sample = try #require(try Self.library()["rectangle"]?.samples.first)
        let shape = try Self.drawn(sample, at: (0, 0), scale: 1, points: 90)
        let places = shape + Self.arc(from: shape[shape.count - 1], to: (1500, 1000))
        let single = try await found(Self.frames(places))
        #expect(single.payloads.map(\.best.name) == ["rectangle"])
        /// Returns a first frame with one sample, and then several samples in each frame, at the time of the last one.
        func together(_ size: Int) -> [Frame<Points>] {
            let rest = stride(from: 1, to: places.count, by: size).map { $0..<min($0 + size, places.count) }
            return ([0..<1] + rest).map { range in
                Frame(
                    Points(phase: .move, samples: places[range].map { Sample(x: $0.x, y: $0.y) }),
                    at: .milliseconds(Int64(range.upperBound - 1) * 10), stream: "mouse",
                    sequence: Int64(range.lowerBound))
            }
        }
        #expect(try await found(together(3)).payloads == single.payloads)
        #expect(try await found(together(8)).payloads.map(\.best.name) == ["rectangle"])
    }

    @Test("spot accepts points whose times are as far apart as numbers can be")
    func farApart() async throws {
        let sample = try #require(try Self.library()["star"]?.samples.first)
        let shape = try Self.drawn(sample, at: (0, 0), scale: 2, points: 120)
        let frames = [(shape[..<60], Int64.min), (shape[60...], .max)].enumerated().map { index, part in
            Frame(
                Points(
                    phase: .move, samples: part.0.map { Sample(x: $0.x, y: $0.y) },
                    start: Timestamp(rawValue: part.1), fields: .time),
                at: .milliseconds(Int64(index)), stream: "mouse", sequence: Int64(index))
        }
        let result = try await found(frames) { ($0.minDuration, $0.subject) = (0.5, true) }
        #expect(result.report.isSuccess, "\(result.report.failures)")
    }

    @Test("spot: a movement that never rests holds only the frames of its last 1,024 steps")
    func neverRests() throws {
        let bench = StageBench(try SpotPointsStage(try Self.library(), Spot.Options()))
        for index in 0..<3000 {
            let angle = Double(index) / 50
            let sample = Sample(x: 3000 * cos(angle), y: 3000 * sin(angle))
            try bench.send(Points(phase: .move, samples: [sample]), at: .milliseconds(Int64(index) * 10))
        }
        // Each frame is one step.
        #expect(bench.heldSince == .milliseconds((3000 - 1024) * 10))
        try bench.advance(to: .milliseconds(31_000))
        #expect(bench.heldSince == nil)
    }

    @Test("spot: two strokes, a stroke with missing points and a canceled stroke are not a gesture")
    func interrupted() async throws {
        let sample = try #require(try Self.library()["star"]?.samples.first)
        let shape = try Self.drawn(sample, at: (0, 0), scale: 2, points: 120)
        #expect(try await found(Self.frames(shape)).payloads.count == 1)
        var frames = Self.frames(shape)
        frames[60].payload.phase = .begin
        #expect(try await found(frames).payloads.isEmpty)
        frames[60].payload.phase = .move
        frames[60].gap = 5
        #expect(try await found(frames).payloads.isEmpty)
        frames[60].gap = 0
        frames[119].payload.phase = .cancel
        let cancelled = try await found(frames)
        #expect(cancelled.payloads.isEmpty && cancelled.drops.map(\.reason) == ["stroke_cancelled"])
        frames[119].payload.phase = .end
        #expect(try await found(frames).frames.map(\.timestamp) == [.milliseconds(1190)])
    }

    @Test("spot: lists, distance, length, duration and subject select what is found and emitted")
    func options() async throws {
        let sample = try #require(try Self.library()["star"]?.samples.first)
        let frames = Self.frames(try Self.drawn(sample, at: (0, 0), scale: 1, points: 120))
        #expect(try await found(frames) { $0.categories.denylist = ["star"] }.payloads.isEmpty)
        #expect(try await found(frames) { $0.categories.allowlist = ["star"] }.payloads.count == 1)
        #expect(try await found(frames) { $0.maxDistance = 0.0001 }.payloads.isEmpty)
        #expect(try await found(frames) { $0.minLength = 5000 }.payloads.isEmpty)
        #expect(try await found(frames) { $0.minDuration = 10 }.payloads.isEmpty)
        let path = try await found(frames) { $0.subject = true }.payloads.first
        guard case .stroke(let stroke) = path?.subject else {
            Issue.record("no path")
            return
        }
        #expect(stroke.start == path?.start && stroke.end == path?.end && stroke.samples.count > 20)
    }

    @Test(
        "spot: a library without strokes, or with an empty stroke, is refused",
        arguments: [([Stroke](), "match.empty_library"), ([Stroke(samples: [], fields: [])], "match.sample_refused")])
    func refused(samples: [Stroke], code: String) {
        let library = GestureLibrary(gestures: [.init(name: "nothing", samples: samples)])
        #expect { try Spot.points(library) } throws: { ($0 as? PipelineError)?.code == code }
    }

    @Test("spot: a corner is a point that is more than the tolerance away from the line")
    func corners() {
        let path = [(0, 0), (50, 0.4), (100, 0), (100, 50), (100, 100)].map { SpotPoint(x: $0.0, y: $0.1, time: 0) }
        let kept = PathCorners(of: path, tolerance: 1).kept().map { [$0.x, $0.y] }
        #expect(kept == [[0, 0], [100, 0], [100, 100]])
    }

    @Test(
        "spot: a movement that follows a template costs nothing, and each deviation costs (1 − cos)² per unit of length"
    )
    func tracking() throws {
        func score(_ places: [(Double, Double)]) throws -> SpotTracker.Ending {
            let points = [(0, 0), (100, 0), (100, 100)].map { SpotPoint(x: Double($0.0), y: Double($0.1), time: 0) }
            var tracker = SpotTracker([try #require(SpotTemplate(points, category: 0))], minDuration: 0)
            var (path, ended): (SpotPath, [(template: Int, ending: SpotTracker.Ending)]) = (SpotPath(), [])
            for place in places {
                path.append(SpotPoint(x: place.0, y: place.1, time: 0), of: .zero)
                if path.count > 1 { tracker.step(path, threshold: 1, ended: &ended) }
            }
            return tracker.endings[0]
        }
        let same = try score([(0, 0), (30, 0), (60, 0), (60, 30), (60, 60)])
        #expect(same.score < 1e-12 && same.start == 0 && same.end == 4)
        // The movement before the gesture is not part of it.
        let later = try score([(0, 90), (-30, 40), (0, 0), (30, 0), (60, 0), (60, 30), (60, 60)])
        #expect(later.score < 1e-12 && later.start == 2)
        // All 90 units follow the first piece of the template at no cost. The last 30 units are also matched with the second
        // piece, which is perpendicular to them, at (1 − cos 90°)² = 1 per unit. So the mean cost is 30 / (90 + 30). The score is
        // higher, because the direction from the first to the last point deviates by 45° from the template's.
        let straight = try score([(0, 0), (30, 0), (60, 0), (90, 0)])
        #expect(abs(straight.score - 0.25 * (1 + (1 - 0.5.squareRoot()) / 2)) < 1e-12)
    }

    @Test(
        "spot: the configured landmark is followed, and the search starts over after a pause that is too long")
    func landmarks() async throws {
        let sample = try #require(try Self.library()["triangle"]?.samples.first)
        let shape = try Self.drawn(sample, at: (0, 0), scale: 0.002, points: 60)
        func frames(gapMs: Int64) -> [Frame<Landmarks>] {
            shape.enumerated().map { index, place in
                var hand = Landmarks(
                    space: "normalized", points: Array(repeating: point(0.5, 0.5), count: 21), hasDepth: false)
                hand.points[8] = point(0.2 + place.x, 0.2 + place.y)
                return Frame(
                    hand, at: .milliseconds(Int64(index) * 33 + (index < 30 ? 0 : gapMs)), stream: "camera",
                    sequence: Int64(index))
            }
        }
        func names(_ frames: [Frame<Landmarks>], _ change: (inout Spot.Options) -> Void = { _ in }) async throws
            -> [String]
        {
            var options = Spot.Options()
            change(&options)
            let stage = try Spot.landmarks(try Self.library(), options, space: .normalized)
            return await Self.harness(stage, frames)
        }
        #expect(try await names(frames(gapMs: 0)) == ["triangle"])
        #expect(try await names(frames(gapMs: 0)) { $0.landmark = "thumbTip" } == [])
        #expect(try await names(frames(gapMs: 300)) == ["triangle"])
        #expect(try await names(frames(gapMs: 600)) == [])
    }

    private static func harness(
        _ stage: some Stage<Landmarks, Recognition>, _ frames: [Frame<Landmarks>]
    ) async -> [String] {
        await StageHarness(stage).run(frames).payloads.map(\.best.name)
    }

    @Test("spot warns of a gesture all of whose samples are taps, which have no usable stroke")
    func taps() throws {
        var library = try Self.library()
        library.gestures.append(.init(name: "tap", samples: [stroke([(5, 5)]), stroke([(7, 7), (7, 7)])]))
        let context = BuildContext(upstream: PureRun(stages: [], input: PortType(Points.self), above: nil))
        let prepared = try SpotLibrary(library, Spot.Options(), step: 5, context)
        #expect(prepared.categories.map(\.name) == library.gestures.dropLast().map(\.name))
        let warnings = context.decoding.findings.diagnostics
        #expect(warnings.map(\.code) == ["spot.no_samples"])
        #expect(
            warnings.first?.message == "the gesture \"tap\" has no usable sample of one stroke and is never found")
    }

    @Test(
        "spot: invalid options are findings",
        arguments: [
            ("{ library: x.json, step: 0 }", ["option.range"]),
            ("{ library: x.json, max_results: 0 }", ["option.range"]),
            ("{ library: /nowhere/x.json }", ["file.not_found"]), ("{}", ["option.missing"]),
            ("{ library: x.json, category_allowlist: [a], category_denylist: [b] }", ["option.conflict"]),
        ])
    func validation(options: String, codes: [String]) {
        #expect(Set(findings("  - spot: \(options)", source: "stdin: { kind: points }").map(\.code)) == Set(codes))
    }
}
