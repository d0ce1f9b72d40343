import Pipeline
import PipelineTesting
import Stages
import Testing

@Suite("segment")
struct SegmentTests {
    private let bench: StageBench<Segment>

    init() { bench = StageBench(Segment()) }

    private func send(
        _ phase: Points.Phase, _ xs: [Double], at ms: Int64, gap: Int32 = 0, to bench: StageBench<Segment>? = nil
    ) throws {
        let samples = xs.map { Sample(x: $0, y: 0) }
        try (bench ?? self.bench).send(Points(phase: phase, samples: samples), at: .milliseconds(ms), gap: gap)
    }

    @Test("segment: a stroke becomes a gesture when the pen has been up for 300 ms")
    func oneStroke() throws {
        try send(.begin, [0], at: 10)
        try send(.move, [1, 2], at: 20)
        try send(.end, [3], at: 30)
        #expect(bench.output.isEmpty)
        try bench.advance(to: .milliseconds(330))
        #expect(bench.output.isEmpty)
        try bench.advance(to: .milliseconds(331))
        let frame = try #require(bench.output.first)
        #expect(frame.timestamp == .milliseconds(330))
        #expect(frame.payload.samples.map(\.x) == [0, 1, 2, 3])
        #expect(frame.payload.samples.map(\.t) == [0, 10_000, 10_000, 20_000])
        #expect(frame.payload.start == .milliseconds(10))
        #expect(frame.payload.counts.isEmpty)
    }

    @Test("segment: a stroke that begins within the timeout joins the gesture, and a later one does not")
    func severalStrokes() throws {
        try send(.begin, [0], at: 0)
        try send(.end, [1], at: 10)
        try send(.begin, [2], at: 310)
        try send(.end, [3, 4], at: 320)
        try send(.begin, [5], at: 621)
        try send(.end, [6], at: 630)
        try bench.finish()
        #expect(bench.output.map(\.payload.counts) == [[2, 3], []])
        #expect(bench.output.map(\.payload.samples.count) == [5, 2])
        #expect(bench.output.first?.timestamp == .milliseconds(620))
    }

    @Test("segment: with a timeout of 0, every stroke is a gesture at once")
    func atOnce() throws {
        var options = Segment.Options()
        options.multiStrokeTimeoutMs = 0
        let bench = StageBench(Segment(options))
        try send(.begin, [0], at: 0, to: bench)
        try send(.end, [1], at: 10, to: bench)
        #expect(bench.output.map(\.timestamp) == [.milliseconds(10)])
    }

    @Test("segment: cancel discards the gesture")
    func cancel() throws {
        try send(.begin, [0, 1], at: 0)
        try send(.cancel, [], at: 10)
        try send(.begin, [7, 8], at: 20)
        try send(.end, [9], at: 30)
        try bench.finish()
        #expect(bench.output.map { $0.payload.samples.map(\.x) } == [[7, 8, 9]])
        #expect(bench.drops == ["stroke_cancelled"])
    }

    @Test("segment: a gap in a stroke discards the stroke, and the rest of it is dropped with a reason")
    func gap() throws {
        try send(.begin, [0], at: 0)
        try send(.move, [1], at: 10, gap: 2)
        try send(.move, [2], at: 20)
        try send(.end, [3], at: 30)
        try send(.begin, [4], at: 40)
        try send(.end, [5], at: 50)
        try bench.finish()
        #expect(bench.output.map { $0.payload.samples.map(\.x) } == [[4, 5]])
        #expect(bench.drops == ["interrupted_stroke", "interrupted_stroke", "interrupted_stroke"])
    }

    @Test("segment: a gap right before a begin loses only the stroke before it")
    func gapBeforeBegin() throws {
        try send(.begin, [0], at: 0)
        try send(.begin, [4], at: 40, gap: 3)
        try send(.end, [5], at: 50)
        try bench.finish()
        #expect(bench.output.map { $0.payload.samples.map(\.x) } == [[4, 5]])
        #expect(bench.drops.isEmpty)
    }

    @Test("segment: a stream that starts in the middle of a stroke waits for the next stroke")
    func middle() throws {
        try send(.move, [0], at: 0)
        try send(.end, [1], at: 5)
        try send(.begin, [2], at: 10)
        try send(.end, [3], at: 20)
        try bench.finish()
        #expect(bench.output.map { $0.payload.samples.map(\.x) } == [[2, 3]])
    }

    @Test("segment: movement while the pen is up changes nothing and is no loss")
    func hover() throws {
        try send(.move, [90], at: 0)
        try send(.begin, [0], at: 20)
        try send(.end, [1], at: 40)
        try send(.move, [91], at: 60)
        try send(.begin, [2], at: 80)
        try send(.end, [3], at: 100)
        try send(.end, [92], at: 120)
        try bench.advance(to: .milliseconds(401))
        #expect(bench.output.map(\.timestamp) == [.milliseconds(400)])
        #expect(bench.output.map(\.payload.counts) == [[2, 2]])
        try send(.move, [93], at: 500)
        // After a gap, the pen may be down again.
        try send(.move, [94], at: 520, gap: 1)
        try send(.end, [95], at: 540)
        try send(.move, [96], at: 560)
        try send(.begin, [4], at: 580)
        try send(.end, [5], at: 600)
        try bench.finish()
        #expect(bench.output.flatMap(\.payload.samples).map(\.x) == [0, 1, 2, 3, 4, 5])
        #expect(
            bench.drops == [
                "interrupted_stroke", "hover", "hover", "hover", "interrupted_stroke", "interrupted_stroke", "hover",
            ])
        #expect(!DropReason("hover").isLoss)
    }

    @Test("segment: a gesture without end that is discarded after max_duration_ms is counted, and its last frame named")
    func silent() async {
        let frames = [(Points.Phase.begin, 0), (.move, 10), (.begin, 61_000), (.end, 61_010)].map { phase, time in
            Frame(
                Points(phase: phase, samples: [Sample(x: Double(time), y: 0)]), at: .milliseconds(time),
                sequence: time)
        }
        let result = await StageHarness(Segment()).run(frames)
        #expect(result.payloads.map { $0.samples.map(\.x) } == [[61_000, 61_010]])
        #expect(result.drops.map(\.reason) == ["too_long"])
        #expect(result.drops.map(\.sequence) == [10])
        #expect(result.report.violations == [])
    }

    @Test("segment: a begin ends the previous stroke if that has no end")
    func missingEnd() throws {
        try send(.begin, [0, 1], at: 0)
        try send(.begin, [2, 3], at: 10)
        try send(.end, [], at: 20)
        try bench.finish()
        #expect(bench.output.map(\.payload.counts) == [[2, 2]])
    }

    @Test("segment: a stroke without end ends with its last frame, and after the pause another gesture begins")
    func withoutEnd() throws {
        var options = Segment.Options()
        for (pause, wanted) in [(300.0, [[], []]), (500, [[2, 2]]), (0, [[], []])] as [(Double, [[Int]])] {
            options.multiStrokeTimeoutMs = pause
            let bench = StageBench(Segment(options))
            try send(.begin, [0, 1], at: 0, to: bench)
            try send(.begin, [2, 3], at: 400, to: bench)
            try send(.end, [], at: 410, to: bench)
            try bench.finish()
            #expect(bench.output.map(\.payload.counts) == wanted, "\(pause)")
            #expect(bench.output.flatMap(\.payload.samples).map(\.x) == [0, 1, 2, 3])
        }
    }

    @Test("segment: a gesture that turns out to be too short after the pause, or at the end, is dropped in the ledger")
    func tooShortLater() async {
        let frames = [(Points.Phase.begin, 0), (.end, 10), (.begin, 1000), (.end, 1010)].map { phase, time in
            Frame(
                Points(phase: phase, samples: phase == .begin ? [Sample(x: 0, y: 0)] : []), at: .milliseconds(time),
                sequence: time)
        }
        let result = await StageHarness(Segment()).run(frames)
        #expect(result.frames.isEmpty)
        let node = result.report.ledger.nodes.first { $0.role == .stage }
        #expect(node?.dropped == ["too_short": 2])
        #expect(node?.absorbed == 2)
        #expect(result.report.violations == [])
    }

    @Test("segment: strokes that are too short, have too few samples or last too long are dropped")
    func limits() throws {
        var options = Segment.Options()
        options.minPoints = 3
        options.minLength = 10
        options.maxDurationMs = 1000
        options.multiStrokeTimeoutMs = 0
        let bench = StageBench(Segment(options))
        try send(.begin, [0], at: 0, to: bench)
        try send(.end, [100], at: 10, to: bench)
        try send(.begin, [0, 1, 2], at: 20, to: bench)
        try send(.end, [], at: 30, to: bench)
        try send(.begin, [0, 50], at: 40, to: bench)
        try send(.move, [60], at: 1041, to: bench)
        try send(.end, [70], at: 1050, to: bench)
        try send(.begin, [0, 5, 12], at: 1060, to: bench)
        try send(.end, [], at: 1070, to: bench)
        #expect(bench.output.map { $0.payload.samples.map(\.x) } == [[0, 5, 12]])
        // The gesture that lasts too long, and the two frames of its rest.
        #expect(bench.drops == ["too_short", "too_short", "too_long", "too_long", "too_long"])
    }

    @Test("segment: a stroke still being drawn at the end is not a gesture")
    func unfinished() throws {
        try send(.begin, [0, 1, 2], at: 0)
        try bench.finish()
        #expect(bench.output.isEmpty)
    }

    @Test(
        "segment: a sample that is not finite or beyond 1e150 fails its frame, and the next stroke is complete",
        arguments: [Double.nan, 1.1e150, -1e200])
    func notFinite(x: Double) throws {
        try send(.begin, [0, 1], at: 0)
        let error = #expect(throws: PipelineError.self) { try send(.move, [x], at: 10) }
        #expect(error?.code == "points.not_finite")
        try send(.end, [2], at: 20, gap: 1)
        try send(.begin, [3, 4], at: 30)
        try send(.end, [5], at: 40)
        try bench.finish()
        #expect(bench.output.map { $0.payload.samples.map(\.x) } == [[3, 4, 5]])
    }

    @Test("segment: times of samples count from the gesture's start, in all pieces")
    func times() throws {
        func piece(_ phase: Points.Phase, start: Int64, _ ts: [Double]) -> Points {
            Points(
                phase: phase, samples: ts.map { Sample(x: $0, y: 0, t: $0, p: 0.5) }, start: .microseconds(start),
                fields: [.time, .pressure])
        }
        try bench.send(piece(.begin, start: 1000, [5, 10]), at: .microseconds(1010))
        try bench.send(piece(.end, start: 1020, [0, 7]), at: .microseconds(1027))
        try bench.finish()
        let gesture = try #require(bench.output.first?.payload)
        #expect(gesture.start == .microseconds(1005))
        #expect(gesture.samples.map(\.t) == [0, 5, 15, 22])
        #expect(gesture.fields == [.time, .pressure])
    }

    @Test("segment: a gesture starts with its first sample, even if its first piece has none")
    func emptyBegin() throws {
        func piece(_ phase: Points.Phase, start: Int64, _ ts: [Double]) -> Points {
            Points(
                phase: phase, samples: ts.map { Sample(x: $0, y: 0, t: $0) }, start: .microseconds(start),
                fields: .time)
        }
        try bench.send(piece(.begin, start: 1000, []), at: .microseconds(1000))
        try bench.send(piece(.end, start: 1020, [5, 7]), at: .microseconds(1027))
        try bench.finish()
        let gesture = try #require(bench.output.first?.payload)
        #expect(gesture.start == .microseconds(1025))
        #expect(gesture.samples.map(\.t) == [0, 2])
    }

    @Test(
        "segment: a pen that disappears in the middle of a stroke holds its gesture for no longer than max_duration_ms")
    func disappears() throws {
        var options = Segment.Options()
        options.maxDurationMs = 1000
        let bench = StageBench(Segment(options))
        try send(.begin, [0], at: 10, to: bench)
        try send(.move, [1], at: 20, to: bench)
        try bench.advance(to: .milliseconds(1010))
        #expect(bench.heldSince == .milliseconds(10))
        try bench.advance(to: .microseconds(1_010_001))
        #expect(bench.heldSince == nil)
        // What remains of the old stroke is dropped; a new stroke is a gesture of its own.
        try send(.move, [2], at: 1500, to: bench)
        try send(.begin, [7], at: 2000, to: bench)
        try send(.end, [8], at: 2010, to: bench)
        try bench.finish()
        #expect(bench.drops == ["too_long", "too_long"])
        #expect(bench.output.map { $0.payload.samples.map(\.x) } == [[7, 8]])
    }
}
