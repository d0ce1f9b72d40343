import Foundation
import Pipeline
import PipelineConfiguration
import PipelineTesting
import Testing

@testable import Stages

@Suite("Synthetic signatures")
struct HandwritingTests {
    private func signature(_ seed: UInt64, hz: Double = 240) -> (samples: [Sample], counts: [Int]) {
        var hand = Handwriting(seed: seed)
        return hand.signature(hz: hz)
    }

    @Test("Synthetic signatures: the same seed writes the same signature, another seed another")
    func seed() {
        #expect(signature(3).samples == signature(3).samples)
        #expect(signature(3).samples != signature(4).samples)
    }

    @Test(
        "Synthetic signatures: the pen begins and ends each stroke at rest, and its speed goes up and down between",
        arguments: 1...5 as ClosedRange<UInt64>)
    func speed(seed: UInt64) throws {
        let (samples, counts) = signature(seed)
        #expect(counts.count == 3)
        let name = samples[..<counts[0]]
        let speeds = zip(name, name.dropFirst()).map { $0.distance(to: $1) * 240 }
        let top = try #require(speeds.max())
        #expect(try #require(speeds.first) < 0.02 * top)
        #expect(try #require(speeds.last) < 0.02 * top)
        // Each letter has an upstroke and a downstroke, and in most of them the speed rises to a peak and falls again.
        let inner = zip(zip(speeds, speeds.dropFirst()), speeds.dropFirst(2))
        #expect(inner.count { $0.0 < $0.1 && $1 <= $0.1 } >= 8)
        // The two-thirds power law of curved movement (Lacquaniti, Terzuolo, Viviani 1983): the pen is slow in bends.
        let bends = zip(zip(name, name.dropFirst(4)), name.dropFirst(8)).map { pair, c in
            let (a, b) = pair
            let (ux, uy, vx, vy) = (b.x - a.x, b.y - a.y, c.x - b.x, c.y - b.y)
            return abs(atan2(ux * vy - uy * vx, ux * vx + uy * vy)) / max(a.distance(to: b), 1e-9)
        }
        let pairs = zip(bends, speeds.dropFirst(4)).filter { $0.0 > 0 && $0.1 > 0.05 * top }
        let (x, y) = (pairs.map { log($0.0) }, pairs.map { log($0.1) })
        let (mx, my) = (x.reduce(0, +) / Double(x.count), y.reduce(0, +) / Double(y.count))
        let slope =
            zip(x, y).reduce(0) { $0 + ($1.0 - mx) * ($1.1 - my) } / x.reduce(0) { $0 + ($1 - mx) * ($1 - mx) }
        #expect(slope < -0.15 && slope > -0.7, "\(slope)")
    }

    @Test("Synthetic signatures: segment joins the strokes of each signature, and keeps signatures apart")
    func segments() async throws {
        var options = SyntheticSource.Options()
        options.draws = .signatures
        options.count = 4
        options.streams = 2
        let reading = try await drain(DrawnStrokes<Points>(options, cut: DrawnStrokes.pieces))
        let gestures = await StageHarness(Segment()).run(reading.frames.sorted { $0.timestamp < $1.timestamp })
        #expect(gestures.payloads.map(\.counts.count) == [3, 3, 3, 3])
        #expect(gestures.drops.isEmpty)
        // The dot of a signature ends 20 ms after its only sample, so 680 of 700 ms remain.
        let pen = reading.frames.filter { $0.stream == "pen/1" }
        let pauses = zip(pen, pen.dropFirst()).filter { $0.0.payload.phase == .end && $0.1.payload.phase == .begin }
            .map { $0.1.timestamp.microseconds(since: $0.0.timestamp) }
        #expect(pauses.max() == 680_000 && pauses.count { $0 >= 300_000 } == 1)
        for stream in ["pen/1", "pen/2"] as [StreamID] {
            let numbers = reading.frames.filter { $0.stream == stream }.map(\.sequence)
            #expect(numbers == Array(0..<Int64(numbers.count)))
        }
    }

    @Test("Synthetic signatures: segment gives the same gestures live, in virtual time, as from the recording")
    func liveSegment() async throws {
        var options = SyntheticSource.Options()
        options.draws = .signatures
        options.count = 3
        let recorded = try await drain(DrawnStrokes<Points>(options, cut: DrawnStrokes.pieces)).frames
        let batch = await StageHarness(Segment()).run(recorded)
        let out = Collector<Stroke>()
        var plan = Plan.building(mode: .live)
        plan.add(
            "pen", source: TimelineSource(recorded.map { .init(at: $0.timestamp.rawValue, $0) }),
            rules: .init(onDisorder: .drop))
        plan.add("segment", stage: Segment(), policy: EdgePolicy(capacity: 4096))
        plan.add("out", sink: out.sink())
        var run = Run.Options()
        run.clock = VirtualClock()
        let report = await Run(plan, options: run).finished()
        #expect(report.isSuccess)
        #expect(out.frames.map(\.payload) == batch.payloads)
        #expect(out.frames.map(\.timestamp) == batch.frames.map(\.timestamp))
    }
}
