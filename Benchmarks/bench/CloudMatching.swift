import Pipeline
import PipelineTesting
import Stages

/// Measures successive strokes against a library, with method `cloud`.
enum CloudMatching {
    /// Measures the additional time per query of a pipeline with `match`, compared with one without: the fastest of several rounds
    /// of each, in processor time.
    ///
    /// - Parameter arguments: The number of templates and the number of queries.
    static func measure(_ arguments: [String]) async throws -> Measured {
        let count = arguments.integer(0, 16)
        let queries = arguments.integer(1, 2000)
        var random = SplitMix64(state: 1)
        let shapes = (0..<16).map { _ in random.stroke() }
        var library = GestureLibrary(gestures: (0..<16).map { GestureLibrary.Gesture(name: "gesture\($0)") })
        for i in 0..<count { library.gestures[i % 16].samples.append(random.variation(of: shapes[i % 16])) }
        let asked = (0..<64).map { random.variation(of: shapes[$0 % 16]) }
        var options = Match.Options()
        (options.maxDistance, options.categories.maxResults) = (10, 1)
        let match = try Match.cloud(library, options)

        // Every query is a variation of one gesture, which must be the result.
        let check = try await Matching.answers(asked, match) { $0.best.index >= 0 ? Double($0.best.index + 1) : 0 }
        let wanted = (0..<64).reduce(0) { $0 + ($1 % 16 + 1) * ($1 + 1) }
        guard check == Double(wanted) else {
            throw PipelineError.environment("bench.cloud", "a wrong gesture is found")
        }
        var without = Plan.building()
        without.add("source", source: Repeating(asked, count: queries))
        without.add("pass", stage: Emit<Stroke>())
        without.add("sink", sink: Counting<Stroke>())
        var with = Plan.building()
        with.add("source", source: Repeating(asked, count: queries))
        with.add("match", stage: match)
        with.add("sink", sink: Counting<Recognition>())
        var (base, time) = (Double.infinity, Double.infinity)
        for _ in 0..<5 {
            base = min(base, try await without.processorTime())
            time = min(time, try await with.processorTime())
        }
        return Measured(nanoseconds: (time - base) / Double(queries), items: queries, check: check)
    }
}

extension SplitMix64 {
    private mutating func signed() -> Double { 2 * (Double(next() >> 11) * 0x1p-53) - 1 }

    /// Returns a smooth stroke of 64 points.
    mutating func stroke() -> Stroke {
        var (x, y, dx, dy) = (0.0, 0.0, 0.0, 0.0)
        return Stroke(
            samples: (0..<64).map { _ in
                (dx, dy) = (0.85 * dx + 5 * signed(), 0.85 * dy + 5 * signed())
                (x, y) = (x + dx, y + dy)
                return Sample(x: x, y: y)
            })
    }

    /// Returns a slight variation of a stroke.
    fileprivate mutating func variation(of stroke: Stroke) -> Stroke {
        var copy = stroke
        let (a, b) = (0.1 * signed(), 0.1 * signed())
        for index in copy.samples.indices {
            let sample = copy.samples[index]
            copy.samples[index].x = sample.x * (1 + a) + sample.y * b + signed()
            copy.samples[index].y = sample.y * (1 - a) + sample.x * b + signed()
        }
        return copy
    }
}
