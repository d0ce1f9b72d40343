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
    static let name = "protractor"
    static let comparesAngles = true

    private let rules: MatchRules
    private let cosTolerance: Double
    private let sinTolerance: Double
    private let points: Int
    /// Coordinates of one plane, filled up with zeros to a multiple of eight.
    private let padded: Int
    /// Every template as a plane of x and a plane of y.
    private let exact: [Double]
    /// Blocks of 16 templates side by side; see `pk_protractor_scores`.
    private let blocks: [Float]
    private let blockCount: Int
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
        blockCount = (all.count + 15) / 16
        var exact = [Double](repeating: 0, count: all.count * 2 * padded)
        var blocks = [Float](repeating: 0, count: blockCount * points * 32)
        for (index, template) in all.enumerated() {
            let scale = try Self.unitScale(template.values, points: points)
            for point in 0..<points {
                let (x, y) = (template.values[2 * point] * scale, template.values[2 * point + 1] * scale)
                exact[index * 2 * padded + point] = x
                exact[index * 2 * padded + padded + point] = y
                let row = (index / 16 * points + point) * 32 + index % 16
                blocks[row] = Float(x)
                blocks[row + 16] = Float(y)
            }
        }
        self.exact = exact
        self.blocks = blocks
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
        let scale = try Self.unitScale(query.values, points: points)
        let done: Void? = scratch.withLockIfAvailable { rank(query.values, scale: scale, &$0, into: &ranking) }
        if done == nil {
            var own = Scratch()
            rank(query.values, scale: scale, &own, into: &ranking)
        }
    }

    /// What makes a vector one of unit length.
    private static func unitScale(_ values: [Double], points: Int) throws -> Double {
        guard values.count == 2 * points, points > 0 else {
            throw PipelineError.frame(
                "match.dimension",
                "a vector of \(values.count) numbers cannot be compared with templates of \(2 * points)",
                help: "protractor compares vectors of x and y in turn, all of the same number of points")
        }
        let squares = values.withUnsafeBufferPointer { values in
            var (even, odd) = (0.0, 0.0)
            for i in 0..<points {
                even += values[2 * i] * values[2 * i]
                odd += values[2 * i + 1] * values[2 * i + 1]
            }
            return even + odd
        }
        guard squares > 1e-290, squares.isFinite else {
            throw PipelineError.frame("match.not_finite", "the vector is zero or not finite, so it has no direction")
        }
        return abs(squares - 1) < 1e-12 ? 1 : 1 / squares.squareRoot()
    }

    private func rank(_ values: [Double], scale: Double, _ scratch: inout Scratch, into ranking: inout [Ranked]) {
        let categories = starts.count - 1
        scratch.query.resize(to: 2 * padded, filler: 0)
        scratch.single.resize(to: 2 * points, filler: 0)
        scratch.scores.resize(to: 16 * blockCount, filler: 0)
        scratch.best.resize(to: categories, filler: 0)
        for point in 0..<points {
            let (x, y) = (values[2 * point] * scale, values[2 * point + 1] * scale)
            scratch.query[point] = x
            scratch.query[padded + point] = y
            scratch.single[2 * point] = Float(x)
            scratch.single[2 * point + 1] = Float(y)
        }
        pk_protractor_scores(
            blocks, blockCount, points, scratch.single, Float(cosTolerance), Float(sinTolerance), &scratch.scores)
        pk_category_best(scratch.scores, starts, categories, &scratch.best)
        let cutoff = cutoff(scratch.best)
        for category in 0..<categories where scratch.best[category] >= cutoff {
            let lowest = scratch.best[category] - 2 * error
            var nearest = Double.infinity
            for template in starts[category]..<starts[category + 1] where scratch.scores[template] >= lowest {
                nearest = min(nearest, squaredDistance(scratch.query, template))
            }
            let angle = 2 * asin(min(1, 0.5 * nearest.squareRoot()))
            insert(Ranked(category: category, distance: angle, score: max(0, 1 - 2 * angle / .pi)), into: &ranking)
        }
    }

    private func squaredDistance(_ query: [Double], _ template: Int) -> Double {
        exact.withUnsafeBufferPointer { exact in
            guard let base = exact.baseAddress else { return .infinity }
            return pk_protractor_exact(query, base + template * 2 * padded, padded, cosTolerance, sinTolerance)
        }
    }

    /// The similarity from which a category can be among those that matter: the two nearest, and beyond them those that
    /// the thresholds let through, as many as are wanted.
    private func cutoff(_ best: [Float]) -> Float {
        let wanted = max(rules.maxResults < 0 ? best.count : rules.maxResults, 2)
        var second = -Float.infinity
        var first = -Float.infinity
        for similarity in best {
            if similarity > first {
                second = first
                first = similarity
            } else if similarity > second {
                second = similarity
            }
        }
        guard wanted > 2 else { return second - 2 * error }
        return min(second, lowestSimilarity) - 2 * error
    }
}

/// Puts a category in its place: nearest first, equals in the order they come.
func insert(_ ranked: Ranked, into ranking: inout [Ranked]) {
    var place = ranking.count
    while place > 0, ranking[place - 1].distance > ranked.distance { place -= 1 }
    ranking.insert(ranked, at: place)
}
