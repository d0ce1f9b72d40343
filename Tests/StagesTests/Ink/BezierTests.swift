import Foundation
import Pipeline
import PipelineTesting
import Testing

@testable import Stages

@Suite("bezier")
struct BezierTests {
    private func bezier(spacing: Double = 1) -> Bezier.Options {
        var options = Bezier.Options()
        options.spacing = spacing
        return options
    }

    @Test("bezier: three samples make the curve worked out by hand: half a line, a quadratic piece, half a line")
    func byHand() throws {
        let ink = try apply(StrokeBezier(bezier(spacing: 0.01)), to: stroke([(0, 0), (10, 0), (10, 10)]))
        // The quadratic piece from (5, 0) over (10, 0) to (10, 5) is (5 + 10u − 5u², 5u²).
        for point in ink.points {
            if point.x < 5 {
                #expect(abs(point.y) < 1e-12)
            } else if point.y > 5 {
                #expect(abs(point.x - 10) < 1e-12)
            } else {
                let u = (max(point.y, 0) / 5).squareRoot()
                #expect(abs(point.x - (5 + 10 * u - 5 * u * u)) < 1e-9)
            }
        }
        #expect(ink.points.first.map { [$0.x, $0.y] } == [0, 0])
        #expect(ink.points.last.map { [$0.x, $0.y] } == [10, 10])
    }

    @Test("bezier: points are evenly spaced, from the first sample to the last", arguments: [0.25, 1, 3.7])
    func even(spacing: Double) throws {
        let samples = TestCurve.samples(hz: 60)
        let ink = try apply(StrokeBezier(bezier(spacing: spacing)), to: timedStroke(samples))
        let steps = ink.steps
        // A chord is slightly shorter than its arc. The last step is what remains of the length.
        #expect(steps.dropLast().allSatisfy { $0 <= spacing * 1.005 && $0 >= spacing * 0.985 })
        #expect((steps.last ?? .infinity) <= spacing * 1.005)
        #expect(ink.points.first.map { [$0.x, $0.y] } == samples.first.map { [$0.x, $0.y] })
        #expect(ink.points.last.map { [$0.x, $0.y] } == samples.last.map { [$0.x, $0.y] })
    }

    @Test("bezier: time increases along the ink, from the first sample's to the last's")
    func times() throws {
        let ink = try apply(StrokeBezier(), to: timedStroke(TestCurve.samples(hz: 60)))
        #expect(zip(ink.points, ink.points.dropFirst()).allSatisfy { $0.t < $1.t })
        #expect(ink.points.first?.t == 0)
        #expect(ink.points.last?.t == 2e6)
        #expect(ink.isTimed)
    }

    @Test(
        "bezier: the ink of the pieces of a stroke, joined, equals the ink of the whole stroke",
        arguments: [[1], [3], [1, 7, 2], [1000]])
    func increments(sizes: [Int]) throws {
        for hz in [30.0, 120] {
            let samples = TestCurve.samples(hz: hz)
            let whole = try inkOfWhole(timedStroke(samples))
            let parts = inkOfPieces(pieces(samples, sizes: sizes))
            #expect(parts.ink.points == whole.points)
            #expect(parts.ink.mesh == whole.mesh)
            #expect(parts.phases.first == .begin)
            #expect(parts.phases.last == .end)
            #expect(parts.phases.dropFirst().dropLast().allSatisfy { $0 == .move })
        }
    }

    @Test("bezier: ink appears while the pen moves, and ends halfway between the last two samples")
    func live() {
        let samples = TestCurve.samples(hz: 60)
        let end = InkEnd()
        let chain = BareChain<Points>([PointsBezier()], end: end)
        for (i, frame) in pieces(samples, sizes: [1]).dropLast().enumerated() {
            chain.receive(frame)
            let (before, last) = (samples[max(i - 1, 0)], samples[i])
            let tip = end.ink.points.last ?? Ink.Point(x: .infinity, y: 0)
            #expect(hypot(tip.x - (before.x + last.x) / 2, tip.y - (before.y + last.y) / 2) <= 1.001)
        }
    }

    @Test(
        "bezier: strokes that broke other programs give finite ink that reaches the last sample",
        arguments: [
            [(0, 0)], [(-5, -5)], [(0, 0), (0, 0), (0, 0)], [(-3, 4), (-3, 4), (-9, 4)], [(0, 0), (10, 0), (0, 0)],
            [(-1, -1), (-20, -8), (-20, -8), (-40, 0)], [(7, 0), (7, 1), (7, 2)], [(0, 0), (1e-300, 0)],
            [(1e9, 1e9), (1e9 + 1, 1e9)],
        ] as [[(Double, Double)]])
    func degenerate(places: [(Double, Double)]) throws {
        let input = stroke(places)
        let whole = try inkOfWhole(input)
        #expect(whole.isSane)
        #expect(whole.points.first.map { [$0.x, $0.y] } == [places[0].0, places[0].1])
        #expect(whole.points.last.map { [$0.x, $0.y] } == places.last.map { [$0.0, $0.1] })
        #expect(whole.steps.allSatisfy { $0 <= 1.02 })
        #expect(whole.mesh.count >= 3)
        #expect(inkOfPieces(pieces(input.samples, sizes: [1])).ink.points == whole.points)
    }

    @Test("bezier, stroke_width, tessellate: after a piece that cannot be processed, the ink is canceled")
    func canceledAfterFailure() {
        func piece(_ phase: Points.Phase, _ x: Double, at ms: Int64) -> Frame<Points> {
            Frame(Points(phase: phase, samples: [Sample(x: x, y: 0)]), at: .milliseconds(ms), sequence: ms)
        }
        let end = InkEnd()
        let chain = BareChain<Points>([PointsBezier()], end: end)
        for frame in [
            piece(.begin, 0, at: 0), piece(.move, 10, at: 10), piece(.move, 1e200, at: 20), piece(.move, 20, at: 30),
            piece(.end, 30, at: 40), piece(.begin, 0, at: 50), piece(.end, 5, at: 60),
        ] { chain.receive(frame) }
        #expect(end.phases == [.begin, .move, .cancel, .begin, .end])
        var progress = StrokeProgress()
        #expect(progress.step(.begin, gap: 0) == .begin(after: nil))
        progress.noteRejected()
        #expect(progress.step(.begin, gap: 0) == .begin(after: .cancel))
        #expect(progress.step(.end, gap: 0) == .continues(isLast: true))
        progress.noteRejected()
        #expect(progress.step(.begin, gap: 0) == .begin(after: nil))
    }

    @Test("bezier: movement while the pen is up is no loss, unless the pen may be down")
    func hover() {
        var progress = StrokeProgress()
        func reason(_ phase: Ink.Phase, gap: Int32 = 0) -> DropReason? {
            if case .stray(let reason, _) = progress.step(phase, gap: gap) { reason } else { nil }
        }
        // The stream may begin in the middle of a stroke.
        #expect([reason(.move), reason(.end), reason(.move)] == ["interrupted_stroke", "interrupted_stroke", "hover"])
        #expect(
            [reason(.begin), reason(.move), reason(.end), reason(.move), reason(.end)] == [
                nil, nil, nil, "hover", "hover",
            ])
        // The missing frame may have been the beginning of a stroke.
        #expect(
            [reason(.move, gap: 1), reason(.move), reason(.end)] == Array(repeating: "interrupted_stroke", count: 3))
        #expect([reason(.move), reason(.begin), reason(.cancel), reason(.move)] == ["hover", nil, nil, "hover"])
        // The rejected frame may have been the beginning of a stroke.
        progress.noteRejected()
        #expect([reason(.move), reason(.end), reason(.move)] == ["interrupted_stroke", "interrupted_stroke", "hover"])
    }

    @Test("bezier: a pen that rests does not make a corner")
    func rest() throws {
        var samples = TestCurve.samples(hz: 30)
        samples.insert(samples[20], at: 20)
        let rested = try apply(StrokeBezier(), to: timedStroke(samples))
        let moved = try apply(StrokeBezier(), to: timedStroke(TestCurve.samples(hz: 30)))
        #expect(rested.points.map { [$0.x, $0.y] } == moved.points.map { [$0.x, $0.y] })
    }

    @Test("bezier: every hostile stroke gives finite ink or a frame error", arguments: HostileStroke.allCases)
    func hostile(_ kind: HostileStroke) throws {
        let ink = try refusedOrValue { try apply(StrokeBezier(), to: kind.stroke) }
        #expect(ink?.isSane ?? true)
    }

    @Test(
        "bezier: far from zero, there are at most length / spacing + 2 points",
        arguments: [0.0, 1e12, 1e17, 1e20])
    func farFromZero(x: Double) throws {
        let corner = x + 100
        let ink = try apply(StrokeBezier(), to: stroke([(x, 0), (corner, 0), (corner, 100)]))
        let length = (corner - x) + 100
        #expect(ink.isSane)
        #expect(Double(ink.points.count) <= length / Bezier.Options().spacing + 2)
    }

    @Test("bezier: a stroke is refused if neighboring numbers at its coordinates are further apart than the spacing")
    func coarse() throws {
        let error = #expect(throws: PipelineError.self) {
            try apply(StrokeBezier(), to: stroke([(1e30, 1e30), (1e30 + 1e15, 1e30)]))
        }
        #expect(error?.code == "bezier.too_many")
    }

    @Test("bezier: samples so far apart that there would be millions of points are refused with a remedy")
    func tooMany() throws {
        let error = #expect(throws: PipelineError.self) {
            try apply(StrokeBezier(), to: stroke([(0, 0), (1e6, 0), (1e6, 1e6)]))
        }
        #expect(error?.code == "bezier.too_many")
        #expect(error?.help == "choose a larger spacing")
    }

    @Test("bezier: a gap in a stroke cancels its ink and drops the rest of the stroke")
    func gap() throws {
        let bench = StageBench(PointsBezier())
        func send(_ phase: Points.Phase, _ x: Double, at ms: Int64, gap: Int32 = 0) throws {
            try bench.send(Points(phase: phase, samples: [Sample(x: x, y: 0)]), at: .milliseconds(ms), gap: gap)
        }
        try send(.begin, 0, at: 0)
        try send(.move, 10, at: 10)
        try send(.move, 40, at: 20, gap: 1)
        try send(.end, 50, at: 30)
        try send(.begin, 0, at: 40)
        try send(.begin, 5, at: 50)
        try send(.end, 9, at: 60)
        #expect(bench.output.map(\.payload.phase) == [.begin, .move, .cancel, .begin, .end, .begin, .end])
        #expect(bench.drops == ["interrupted_stroke"])
        #expect(bench.output.last?.payload.points.last?.x == 9)
    }

    @Test("bezier: cancel of a stroke cancels its ink")
    func cancel() throws {
        let bench = StageBench(PointsBezier())
        try bench.send(Points(phase: .begin, stroke: 4, samples: [Sample(x: 0, y: 0)]), at: .zero)
        try bench.send(Points(phase: .cancel, stroke: 4, samples: []), at: .milliseconds(1))
        #expect(bench.output.map(\.payload.phase) == [.begin, .cancel])
        #expect(bench.output.map(\.payload.stroke) == [4, 4])
    }

    @Test("bezier: the stage for whole strokes keeps the promises of stages")
    func conformance() async {
        #expect(await StageConformance(StrokeBezier()).violations() == [])
    }

    @Test("bezier: a spacing that is too wide for the coordinates is logged once")
    func scale() throws {
        let lines = LogLines()
        let bench = StageBench(StrokeBezier(), log: lines.log)
        let small = timedStroke(TestCurve.samples(hz: 60).map { Sample(x: $0.x / 1000, y: $0.y / 1000, t: $0.t) })
        try bench.send(small, at: .zero)
        try bench.send(small, at: .milliseconds(1))
        #expect(lines.all.count == 1)
        #expect(lines.all.first?.contains("choose a smaller spacing") == true)
    }

    @Test(
        "bezier: points that would make millions of points of ink in one frame are refused, and the next stroke is drawn"
    )
    func tooManyInOneFrame() throws {
        let bench = StageBench(PointsBezier(bezier(spacing: 0.002)))
        func send(_ phase: Points.Phase, samples: Int, at ms: Int64) throws {
            let zigzag = (0..<samples).map { Sample(x: Double($0 % 2) * 100, y: Double($0)) }
            try bench.send(Points(phase: phase, samples: zigzag), at: .milliseconds(ms))
        }
        try send(.begin, samples: 1, at: 0)
        let error = #expect(throws: PipelineError.self) { try send(.move, samples: 300, at: 10) }
        #expect(error?.code == "bezier.too_many" && error?.help == "choose a larger spacing")
        try send(.end, samples: 1, at: 20)
        try send(.begin, samples: 2, at: 30)
        try send(.end, samples: 1, at: 40)
        #expect(bench.output.map(\.payload.phase) == [.begin, .cancel, .begin, .end])
        #expect(bench.drops.isEmpty)
    }
}
