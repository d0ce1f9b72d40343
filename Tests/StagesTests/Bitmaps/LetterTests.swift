import Pipeline
import PipelineComponents
import PipelineConfiguration
import PipelineTesting
import Testing

@testable import Stages

/// Letters that are drawn in several strokes, in any order.
@Suite("letters as bitmaps")
struct LetterTests {
    private typealias Way = [[(Double, Double)]]

    /// Three ways of drawing an E, which Scribe's author names. Small irregularities make the lines look hand-drawn.
    private static let waysToDrawE: [String: Way] = [
        "four bars": [
            [(2, 1), (70, 0)], [(0, 52), (58, 50)], [(1, 101), (71, 99)], [(1, 0), (0, 100)],
        ],
        "a C and a bar": [
            [(69, 3), (30, 0), (4, 2), (0, 12), (1, 50), (0, 90), (5, 99), (36, 101), (68, 98)], [(3, 49), (55, 51)],
        ],
        "an L and a C that overlap": [
            [(0, 0), (1, 51), (0, 99), (35, 100), (70, 100)], [(68, 1), (2, 0), (1, 26), (2, 50), (57, 49)],
        ],
    ]

    /// Letters that are similar to an E.
    private static let others: [String: Way] = [
        "B": [[(0, 0), (0, 100)], [(0, 0), (50, 10), (50, 40), (0, 50), (60, 65), (55, 92), (0, 100)]],
        "C": [[(70, 8), (40, 0), (8, 15), (0, 50), (8, 85), (40, 100), (70, 92)]],
        "F": [[(0, 0), (0, 100)], [(0, 0), (70, 0)], [(0, 48), (55, 48)]],
        "H": [[(0, 0), (0, 100)], [(70, 0), (70, 100)], [(0, 50), (70, 50)]],
        "I": [[(0, 0), (2, 50), (0, 100)]],
        "L": [[(0, 0), (0, 100), (70, 100)]],
        "S": [[(70, 5), (20, 0), (0, 25), (35, 50), (70, 75), (50, 100), (0, 95)]],
        "T": [[(0, 0), (80, 0)], [(40, 0), (40, 100)]],
        "Z": [[(0, 0), (70, 0), (0, 100), (70, 100)]],
    ]

    private static func drawn(_ way: Way, scale: Double = 1) -> Stroke {
        Stroke(
            samples: way.flatMap { $0.map { Sample(x: $0.0 * scale + 5, y: $0.1 * scale - 7) } },
            counts: way.count > 1 ? way.map(\.count) : [])
    }

    private static func library(E way: String) -> GestureLibrary {
        var library = GestureLibrary(
            gestures: others.sorted { $0.key < $1.key }.map { .init(name: $0.key, samples: [drawn($0.value)]) })
        if let letter = waysToDrawE[way] { library.add(drawn(letter), to: "E") }
        return library
    }

    @Test(
        "Letters as bitmaps: an E drawn in any of three ways is recognized by a template drawn in any of them",
        arguments: MatchBitmap.Score.allCases)
    func threeWays(score: MatchBitmap.Score) throws {
        for learned in Self.waysToDrawE.keys {
            for (name, way) in Self.waysToDrawE {
                var options = MatchBitmap.Options()
                options.score = score
                let match = try MatchBitmap.comparing(with: Self.library(E: learned), options)
                let run = PureRun(stages: [Rasterize(), match], input: nil, above: nil)
                let found = try run.prepare(Self.drawn(way, scale: 1.7), as: Recognition.self)
                // The other two scores, which exist for comparison, may rank an F or a B above the E.
                let nearest = found.categories.prefix(score == .dice ? 1 : 2).map(\.name)
                #expect(nearest.contains("E"), "\(name), learned as \(learned): \(found.categories)")
            }
        }
    }

    @Test(
        "Letters as bitmaps: letters of several strokes are recognized live, 300 ms after their last stroke, on the run's clock"
    )
    func live() async throws {
        var events: [TimelineSource<Points>.Event] = []
        var sequence: Int64 = 0
        // The pen reaches a corner every 20 ms, and rests for 200 ms between strokes and for 500 ms between letters.
        var time: Int64 = 10_000
        var ends: [Int64] = []
        let letters = [Self.waysToDrawE["four bars"], Self.others["T"], Self.waysToDrawE["an L and a C that overlap"]]
        for (number, way) in letters.compactMap({ $0 }).enumerated() {
            for (place, corners) in way.enumerated() {
                for (index, corner) in corners.enumerated() {
                    let phase: Points.Phase = index == 0 ? .begin : index == corners.count - 1 ? .end : .move
                    let piece = Points(
                        phase: phase, stroke: number * 10 + place, samples: [Sample(x: corner.0, y: corner.1)])
                    let frame = Frame(piece, at: .microseconds(time), stream: "pen", sequence: sequence)
                    events.append(.init(at: time, frame))
                    sequence += 1
                    time += 20_000
                }
                time += 180_000
            }
            ends.append(time - 200_000)
            time += 300_000
        }
        // The pen stays connected, but does not draw any more.
        events.append(.init(at: time + 1_000_000, item: .bound(.microseconds(time + 1_000_000))))
        let out = Collector<Recognition>()
        var plan = Plan.building(mode: .live)
        plan.add("pen", source: TimelineSource(events))
        plan.add("segment", stage: Segment())
        plan.add("rasterize", stage: Rasterize())
        plan.add("match_bitmap", stage: try MatchBitmap.comparing(with: Self.library(E: "a C and a bar")))
        plan.add("out", sink: out.sink())
        var options = Run.Options()
        options.clock = VirtualClock()
        let report = await Run(plan, options: options).finished()
        #expect(report.isSuccess)
        #expect(out.frames.map(\.payload.best.name) == ["E", "T", "E"])
        #expect(out.frames.map(\.timestamp.rawValue) == ends.map { $0 + 300_000 })
    }
}
