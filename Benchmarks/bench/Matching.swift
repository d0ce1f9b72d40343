import Pipeline
import PipelineTesting
import Stages
import Synchronization

/// One query after another against a library of templates of 64 points.
enum Matching {
    /// Arguments: templates, queries. What a pipeline with `match` takes more than one without, a query.
    static func measure(_ arguments: [String]) async throws -> Measured {
        let count = arguments.integer(0, 16)
        let queries = arguments.integer(1, 200_000)
        var random = SplitMix64(state: 1)
        let perGesture = (count + 15) / 16
        var library = GestureLibrary(
            gestures: (0..<(count + perGesture - 1) / perGesture).map { GestureLibrary.Gesture(name: "gesture\($0)") })
        for i in 0..<count {
            library.gestures[i / perGesture].samples.append(Stroke(samples: samples(of: random.vector())))
        }
        let asked = (0..<64).map { _ in FeatureVector(values: random.vector()) }
        var options = Match.Options()
        options.thresholdRad = 4
        options.maxResults = 1
        let match = try Match.protractor(library, preparedBy: [Vectorize()], options)

        let check = try await answers(asked, match)
        var without = Plan.building()
        without.add("source", source: Repeating(asked, count: queries))
        without.add("pass", stage: Pass<FeatureVector>())
        without.add("sink", sink: Counting<FeatureVector>())
        var with = Plan.building()
        with.add("source", source: Repeating(asked, count: queries))
        with.add("match", stage: match)
        with.add("sink", sink: Counting<Recognition>())
        let base = try await without.nanosecondsPerFrame(queries)
        let time = try await with.nanosecondsPerFrame(queries)
        return Measured(nanoseconds: time - base, items: queries, check: check)
    }

    /// The sum of the answers, each times its query's number.
    static func answers<Query: Payload>(
        _ asked: [Query], _ match: some Stage<Query, Recognition>
    ) async throws -> Double {
        let collector = Collector<Recognition>()
        var plan = Plan.building()
        plan.add("source", source: Repeating(asked, count: asked.count))
        plan.add("match", stage: match)
        plan.add("sink", sink: collector.sink())
        _ = try await plan.nanosecondsPerFrame(asked.count)
        return collector.frames.enumerated().reduce(0) { sum, frame in
            sum + Double(frame.element.payload.best.index * (frame.offset + 1))
        }
    }

    private static func samples(of vector: [Double]) -> [Sample] {
        (0..<vector.count / 2).map { Sample(x: vector[2 * $0], y: vector[2 * $0 + 1]) }
    }
}

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): the same numbers as the yardstick's.
struct SplitMix64 {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// A vector of unit length of 128 numbers.
    mutating func vector() -> [Double] {
        let values = (0..<128).map { _ in Double(next() >> 11) * 0x1p-53 - 0.5 }
        let length = values.reduce(0) { $0 + $1 * $1 }.squareRoot()
        return values.map { $0 / length }
    }
}
