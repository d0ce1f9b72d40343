import Pipeline
import PipelineTesting
import Stages

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Ink of a pen that moves: `bezier`, `stroke_width` and `tessellate`, point by point.
enum InkDrawing {
    /// Arguments: speed in units a second, points, rounds. Nanoseconds an input point: what a pipeline with the three stages
    /// takes more than one that passes the points on. The pen is sampled 120 times a second, and draws one stroke.
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
        // Both in turn, and the quickest of each: a busy machine disturbs both alike.
        var (base, time) = (Double.infinity, Double.infinity)
        for _ in 0..<rounds {
            base = min(base, try await without.processorTime())
            time = min(time, try await with.processorTime())
        }
        return Measured(nanoseconds: (time - base) / Double(points), items: points, check: 0)
    }
}

/// Brings one endless stroke, a sample a frame: loops of a hand's size, run through at an even speed.
private struct MovingPen: Source {
    private let count: Int
    /// The samples of one loop, made before anything is measured.
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
