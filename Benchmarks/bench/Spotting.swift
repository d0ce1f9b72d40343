import Pipeline
import PipelineTesting
import Stages

/// Measures a wandering mouse pointer with `spot`.
enum Spotting {
    /// Measures the additional time per point of a pipeline with `spot`, compared with one without: the fastest of several rounds
    /// of each, in processor time.
    ///
    /// - Parameter arguments: The number of samples in the library and the number of points.
    static func measure(_ arguments: [String]) async throws -> Measured {
        let count = arguments.integer(0, 16)
        let points = arguments.integer(1, 20_000)
        var random = SplitMix64(state: 1)
        var library = GestureLibrary(gestures: (0..<count).map { GestureLibrary.Gesture(name: "gesture\($0)") })
        for index in 0..<count { library.gestures[index].samples = [random.stroke()] }
        // A walk of smooth movements, about twenty pixels per point.
        var (x, y) = (0.0, 0.0)
        let path: [Points] = (0..<400).flatMap { _ in
            let piece = random.stroke().samples
            let (left, top) = (x, y)
            if let last = piece.last { (x, y) = (left + last.x, top + last.y) }
            return piece.map { Points(phase: .move, samples: [Sample(x: left + $0.x, y: top + $0.y)]) }
        }
        let spot = try Spot.points(library)
        var without = Plan.building()
        without.add("source", source: Repeating(path, count: points))
        without.add("pass", stage: Emit<Points>())
        without.add("sink", sink: Counting<Points>())
        var with = Plan.building()
        with.add("source", source: Repeating(path, count: points))
        with.add("spot", stage: spot)
        with.add("sink", sink: Counting<Recognition>())
        var (base, time) = (Double.infinity, Double.infinity)
        for _ in 0..<5 {
            base = min(base, try await without.processorTime())
            time = min(time, try await with.processorTime())
        }
        return Measured(nanoseconds: (time - base) / Double(points), items: points, check: Double(points))
    }
}
