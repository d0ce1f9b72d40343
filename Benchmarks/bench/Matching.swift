import Pipeline
import PipelineTesting
import Stages

/// Measures successive queries against a library of templates of 64 points.
enum Matching {
    /// Measures the additional time per query of a chain with `match`, compared with one without: the fastest round of each, in
    /// processor time.
    ///
    /// - Parameter arguments: The number of templates, the queries per round (rounded down to a multiple of 64), and the rounds.
    static func measure(_ arguments: [String]) async throws -> Measured {
        let count = arguments.integer(0, 16)
        let queries = arguments.integer(1, 50_000)
        let rounds = arguments.integer(2, 10)
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
        options.categories.maxResults = 1
        let match = try Match.protractor(library, preparedBy: [Vectorize()], options)

        // Both sides include the score and the margin of every answer.
        let check = try await answers(asked, match) { found in
            Double(found.best.index) + 1000 * found.best.score + 1000 * found.margin
        }
        let times = max(1, queries / asked.count)
        let without = plan(asked, times: times, Emit<FeatureVector>(), Counting<FeatureVector>())
        let with = plan(asked, times: times, match, Counting<Recognition>())
        var (base, time) = (Double.infinity, Double.infinity)
        for _ in 0..<rounds {
            base = min(base, try await without.processorTime())
            time = min(time, try await with.processorTime())
        }
        let items = times * asked.count
        return Measured(nanoseconds: (time - base) / Double(items), items: items * rounds, check: check)
    }

    /// Returns the sum of the answers' values, each multiplied by the number of its query, which begins at 1.
    static func answers<Query: Payload>(
        _ asked: [Query], _ match: some Stage<Query, Recognition>,
        _ value: (Recognition) -> Double = { Double($0.best.index) }
    ) async throws -> Double {
        let collector = Collector<Recognition>()
        var plan = Plan.building()
        plan.add("source", source: Repeating(asked, count: asked.count))
        plan.add("match", stage: match)
        plan.add("sink", sink: collector.sink())
        _ = try await plan.nanosecondsPerFrame(asked.count)
        return collector.frames.enumerated().reduce(0) { sum, frame in
            sum + value(frame.element.payload) * Double(frame.offset + 1)
        }
    }

    /// Returns a plan in which a stage emits all queries for every frame of the source. Hops between tasks therefore add almost
    /// nothing to the measured time of the next stage.
    private static func plan<S: Stage, T: Sink>(_ asked: [FeatureVector], times: Int, _ stage: S, _ sink: T) -> Plan
    where S.Input == FeatureVector, T.Input == S.Output {
        var plan = Plan.building()
        plan.add("source", source: Repeating([FeatureVector(values: [])], count: times))
        plan.add("ask", stage: Asking(queries: asked))
        plan.add("stage", stage: stage)
        plan.add("sink", sink: sink)
        return plan
    }

    /// A stage that emits all queries for every input.
    private struct Asking: Stage {
        let queries: [FeatureVector]

        mutating func process(
            _ vector: FeatureVector, _ header: borrowing Header, into emitter: borrowing Emitter<FeatureVector>
        ) {
            for query in queries { emitter.emit(query) }
        }
    }

    private static func samples(of vector: [Double]) -> [Sample] {
        (0..<vector.count / 2).map { Sample(x: vector[2 * $0], y: vector[2 * $0 + 1]) }
    }
}

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014). It generates the same numbers as the yardstick's generator.
struct SplitMix64 {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// Returns a vector of 128 numbers with unit length.
    mutating func vector() -> [Double] {
        let values = (0..<128).map { _ in Double(next() >> 11) * 0x1p-53 - 0.5 }
        let length = values.reduce(0) { $0 + $1 * $1 }.squareRoot()
        return values.map { $0 / length }
    }
}
