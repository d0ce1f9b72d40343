import Pipeline
import PipelineTesting
import Stages

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Measures the ink of a moving pen: `bezier`, `stroke_width` and `tessellate`, point by point.
enum InkDrawing {
    /// Measures the nanoseconds per input point that the three stages add to a pipeline that only forwards points. The pen is
    /// sampled 120 times per second and draws one stroke.
    ///
    /// - Parameter arguments: The speed in units per second, the points, and the rounds.
    static func measure(_ arguments: [String]) async throws -> Measured {
        let speed = Double(arguments.integer(0, 1000))
        let points = arguments.integer(1, 20_000)
        let rounds = arguments.integer(2, 5)
        var without = Plan.building()
        without.add("source", source: MovingPen(speed: speed, count: points))
        without.add("pass", stage: Emit<Points>())
        without.add("sink", sink: Counting<Points>())
        var with = Plan.building()
        with.add("source", source: MovingPen(speed: speed, count: points))
        with.add("bezier", stage: PointsBezier())
        with.add("stroke_width", stage: StrokeWidth())
        with.add("tessellate", stage: Tessellate())
        with.add("sink", sink: Counting<Ink>())
        // The pipelines run alternately, and the fastest round of each counts, so that a busy machine disturbs both equally.
        var (base, time) = (Double.infinity, Double.infinity)
        for _ in 0..<rounds {
            base = min(base, try await without.processorTime())
            time = min(time, try await with.processorTime())
        }
        return Measured(nanoseconds: (time - base) / Double(points), items: points, check: 0)
    }
}

/// A source of one long stroke, with one sample per frame. The stroke consists of loops of the size of a hand, drawn at constant
/// speed.
private struct MovingPen: Source {
    private let count: Int
    /// The samples of one loop, created before the measurement.
    private let loop: [[Sample]]
    private var made = 0

    init(speed: Double, count: Int) {
        self.count = count
        let radius = 300.0
        let places = max(Int((2 * Double.pi * radius / speed * 120).rounded()), 3)
        loop = (0..<places).map { place in
            let angle = 2 * Double.pi * Double(place) / Double(places)
            return [Sample(x: 500 + radius * cos(angle), y: 500 + radius * sin(angle))]
        }
    }

    nonisolated(nonsending) mutating func read(into batch: inout SourceBatch<Points>) async throws -> Bool {
        let end = min(made + 64, count)
        while made < end {
            let phase: Points.Phase = made == 0 ? .begin : made == count - 1 ? .end : .move
            let at = Timestamp.microseconds(Int64(made) * 1_000_000 / 120)
            batch.append(
                Frame(
                    Points(phase: phase, samples: loop[made % loop.count], start: at, fields: .time), at: at,
                    stream: "pen/1", sequence: Int64(made)))
            made += 1
        }
        return made < count
    }
}
