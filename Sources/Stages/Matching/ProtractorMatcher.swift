import CKernels
import Pipeline
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Protractor (Li, "Protractor: a fast and accurate gesture recognizer", CHI 2010): the angle between two vectors of unit length, one of
/// them turned to fit best.
///
/// With a = Σ(x·x′ + y·y′) and b = Σ(x·y′ − y·x′) the best turn is atan2(b, a), here clamped to the tolerance. The distance is
/// 2·asin(½‖u − R(θ)v‖) in double precision: near 0, acos of the dot product loses half of the digits. O(templates · points), most of it in
/// single precision: that only chooses which templates are computed exactly, all whose result could matter by a bound
/// on the rounding error.
final class ProtractorMatcher: TemplateMatcher {
    static func name(_ rules: MatchRules) -> String { "protractor" }
    static let comparesAngles = true

    private let rules: MatchRules
    private let cosTolerance: Double
    private let sinTolerance: Double
    private let points: Int
    /// Coordinates of one plane, filled up with zeros to a multiple of eight.
    private let padded: Int
    /// Every template as a plane of x and a plane of y.
    private let exact: [Double]
    /// The same in single precision, filled up with templates of zeros to a multiple of eight.
    private let single: [Float]
    private let paddedCount: Int
    /// Where the templates of every category begin, and the end of the last.
    private let starts: [Int]
    /// Twice this is how much two similarities in single precision can be in the wrong order.
    private let error: Float
    /// Below this similarity, nothing is let through by the thresholds.
    private let lowestSimilarity: Float
    /// Shared by all streams: a stage is copied for every stream, and a library may be large. Whoever finds it in use
    /// makes its own.
    private let scratch = Mutex(Scratch())

    private struct Scratch {
        var query: [Double] = []
        var single: [Float] = []
        var scores: [Float] = []
        var best: [Float] = []
    }

    init(templates: [[FeatureVector]], rules: MatchRules) throws {
        self.rules = rules
        let tolerance = min(max(rules.rotationToleranceDeg, 0), 180) * .pi / 180
        // cos and sin of π are not exact in floating point.
        cosTolerance = tolerance == .pi ? -1 : cos(tolerance)
        sinTolerance = tolerance == .pi ? 0 : sin(tolerance)
        let all = templates.flatMap { $0 }
        let points = (all.first?.values.count ?? 0) / 2
        let padded = (points + 7) / 8 * 8
        self.points = points
        self.padded = padded
        paddedCount = (all.count + 7) / 8 * 8
        var exact = [Double](repeating: 0, count: all.count * 2 * padded)
        for (index, template) in all.enumerated() {
            let squares = try Self.sumOfSquares(template.values, points: points)
            let scale = 1 / squares.squareRoot()
            for point in 0..<points {
                exact[index * 2 * padded + point] = template.values[2 * point] * scale
                exact[index * 2 * padded + padded + point] = template.values[2 * point + 1] * scale
            }
        }
        self.exact = exact
        var single = [Float](repeating: 0, count: paddedCount * 2 * padded)
        for i in exact.indices { single[i] = Float(exact[i]) }
        self.single = single
        starts = templates.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1.count) }
        // A sum of n products of numbers of single precision, of vectors of unit length, is off by at most (n + 1)·2⁻²⁴, its
        // operands by two more; the square root of two such sums by √2 times that; the clamp may choose the
        // other side within its own error. Twice the sum of it all is still small.
        error = Float(2 * points + 8) * 4 / 16_777_216
        // The score is 0 from 90° on.
        let byScore = rules.scoreThreshold > 0 ? (1 - rules.scoreThreshold) * .pi / 2 : .pi
        let largestAngle = min(rules.thresholdRad, byScore, .pi)
        lowestSimilarity = Float(cos(max(largestAngle, 0)))
    }

    func rank(_ query: FeatureVector, into ranking: inout [Ranked]) throws {
        guard query.values.count == 2 * points else { throw Self.wrongDimension(query.values.count, points) }
        let isDone = scratch.withLockIfAvailable { rank(query.values, &$0, into: &ranking) }
        // Somebody else is at work with the same library: this one works in memory of its own.
        if isDone == nil {
            var own = Scratch()
            guard rank(query.values, &own, into: &ranking) else { throw Self.noDirection }
        } else if isDone == false {
            throw Self.noDirection
        }
    }

    private static let noDirection = PipelineError.frame(
        "match.not_finite", "the vector is zero or not finite, so it has no direction")

    private static func wrongDimension(_ count: Int, _ points: Int) -> PipelineError {
        .frame(
            "match.dimension", "a vector of \(count) numbers cannot be compared with templates of \(2 * points)",
            help: "protractor compares vectors of x and y in turn, all of the same number of points")
    }

    private static func sumOfSquares(_ values: [Double], points: Int) throws -> Double {
        guard values.count == 2 * points, points > 0 else { throw wrongDimension(values.count, points) }
        let squares = values.reduce(0) { $0 + $1 * $1 }
        guard squares > smallestSquares, squares.isFinite else { throw noDirection }
        return squares
    }

    /// Below this, dividing by the length would overflow.
    private static let smallestSquares = 1e-290

    /// Returns false for a vector without direction.
    private func rank(_ values: [Double], _ scratch: inout Scratch, into ranking: inout [Ranked]) -> Bool {
        let categories = starts.count - 1
        if scratch.scores.count != paddedCount {
            scratch.query = [Double](repeating: 0, count: 2 * padded)
            scratch.single = [Float](repeating: 0, count: 2 * padded)
            scratch.scores = [Float](repeating: 0, count: paddedCount)
            scratch.best = [Float](repeating: 0, count: categories)
        }
        let squares = pk_split(values, points, padded, &scratch.query, &scratch.single)
        guard squares > Self.smallestSquares, squares.isFinite else { return false }
        if abs(squares - 1) > 1e-12 {
            let scale = 1 / squares.squareRoot()
            for i in scratch.query.indices {
                scratch.query[i] *= scale
                scratch.single[i] = Float(scratch.query[i])
            }
        }
        pk_protractor_scores(
            single, paddedCount, padded, scratch.single, Float(cosTolerance), Float(sinTolerance), &scratch.scores)
        let second = pk_category_best(scratch.scores, starts, categories, &scratch.best)
        // What matters are the two nearest, and beyond them what the thresholds let through, if it is asked for.
        let isAll = rules.maxResults < 0 || rules.maxResults > 2
        let cutoff = (isAll ? min(second, lowestSimilarity) : second) - 2 * error
        scratch.best.withUnsafeBufferPointer { best in
            scratch.scores.withUnsafeBufferPointer { scores in
                for category in best.indices where best[category] >= cutoff {
                    let lowest = best[category] - 2 * error
                    var nearest = Double.infinity
                    for template in starts[category]..<starts[category + 1] where scores[template] >= lowest {
                        nearest = min(nearest, squaredDistance(scratch.query, template))
                    }
                    let angle = 2 * asin(min(1, 0.5 * max(nearest, 0).squareRoot()))
                    insert(
                        Ranked(category: category, distance: angle, score: max(0, 1 - 2 * angle / .pi)), into: &ranking)
                }
            }
        }
        return true
    }

    private func squaredDistance(_ query: [Double], _ template: Int) -> Double {
        exact.withUnsafeBufferPointer { exact in
            guard let base = exact.baseAddress else { return .infinity }
            return pk_protractor_exact(query, base + template * 2 * padded, padded, cosTolerance, sinTolerance)
        }
    }
}

/// Puts a category in its place: nearest first, equals in the order they come.
func insert(_ ranked: Ranked, into ranking: inout [Ranked]) {
    var place = ranking.count
    while place > 0, ranking[place - 1].distance > ranked.distance { place -= 1 }
    ranking.insert(ranked, at: place)
}
