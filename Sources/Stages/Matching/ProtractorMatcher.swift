import CKernels
import Pipeline
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Protractor (Li, "Protractor: a fast and accurate gesture recognizer", CHI 2010): the angle between two unit vectors, one of them
/// rotated to fit best.
///
/// With a = Σ(x·x′ + y·y′) and b = Σ(x·y′ − y·x′), the best rotation is atan2(b, a), clamped here to the tolerance. The distance is
/// 2·asin(½‖u − R(θ)v‖) in double precision; near 0, acos of the dot product would lose half of the digits.
///
/// Complexity: O(templates · points). A pass in single precision selects the templates that are then compared in double precision.
/// A bound on the rounding error ensures that it selects every template that can affect the result.
final class ProtractorMatcher: TemplateMatcher {
    static func name(_ rules: MatchRules) -> String { "protractor" }
    static let comparesAngles = true

    private let cosTolerance: Double
    private let sinTolerance: Double
    /// The number of elements of a vector: two per point.
    private let dimension: Int
    private let templates: TemplateBlocks
    /// The index of the first template of every category, followed by the number of templates.
    private let starts: [Int]
    /// Twice the largest rounding error of a similarity in single precision. Two similarities that differ by more are in the right
    /// order.
    private let slack: Float
    /// The smallest similarity at which a category is ranked. The two nearest categories are always ranked.
    private let lowestSimilarity: Float
    /// Working memory that all workers of a stage share, because it grows with the library. While another worker is using it, a
    /// query allocates memory of its own.
    private let scratch: Lock<Scratch>

    private struct Scratch {
        /// The query in single precision.
        var single: [Float]
        /// The similarity of every template.
        var scores: [Float]
        /// The largest similarity of every category.
        var best: [Float]
        /// The templates to compare in double precision. The others may be the rest of an earlier query.
        var candidates: [pk_candidate]

        init(dimension: Int, templates: Int, categories: Int) {
            single = [Float](repeating: 0, count: dimension)
            scores = [Float](repeating: 0, count: templates)
            best = [Float](repeating: 0, count: categories)
            candidates = [pk_candidate](repeating: pk_candidate(), count: templates)
        }
    }

    init(templates: [[FeatureVector]], rules: MatchRules) throws {
        let tolerance = rules.rotationToleranceDeg * .pi / 180
        // cos and sin of π are not exact in floating point.
        cosTolerance = tolerance == .pi ? -1 : cos(tolerance)
        sinTolerance = tolerance == .pi ? 0 : sin(tolerance)
        let all = templates.flatMap { $0 }
        dimension = (all.first?.values.count ?? 0) / 2 * 2
        self.templates = TemplateBlocks(count: all.count, dimension: dimension)
        for (index, template) in all.enumerated() {
            guard template.values.count == dimension, dimension > 0 else {
                throw Self.wrongDimension(template.values.count, dimension)
            }
            let squares = template.values.reduce(0) { $0 + $1 * $1 }
            guard let scale = Self.scale(squares) else { throw Self.noDirection }
            self.templates.set(index, to: template.values, scale)
        }
        starts = templates.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1.count) }
        // The sum of n products of single-precision numbers, of unit vectors, has an error of at most (n + 1)·2⁻²⁴; the rounding of
        // the operands adds two more. A similarity at the best rotation is √(a² + b²), which has √2 times that error. Near the
        // tolerance, this error also decides whether the rotation is clamped. 4·(n + 8)·2⁻²⁴ is more than all this together.
        slack = 2 * Float(dimension + 8) * 4 / 16_777_216
        // The score is 0 for angles of 90° and more.
        let byScore = rules.scoreThreshold > 0 ? (1 - rules.scoreThreshold) * .pi / 2 : .pi
        let largestAngle = min(rules.thresholdRad, byScore, .pi)
        lowestSimilarity = rules.ranksAll ? Float(cos(max(largestAngle, 0))) : .infinity
        scratch = Lock(
            Scratch(dimension: dimension, templates: self.templates.paddedCount, categories: templates.count))
    }

    func rank(_ query: FeatureVector, into ranking: inout [Ranked]) throws {
        guard query.values.count == dimension else { throw Self.wrongDimension(query.values.count, dimension) }
        let isDone = scratch.withLockIfAvailable { rank(query.values, &$0, into: &ranking) }
        // Another stream is using the working memory, so use separate memory.
        if isDone == nil {
            var own = Scratch(
                dimension: dimension, templates: templates.paddedCount, categories: starts.count - 1)
            guard rank(query.values, &own, into: &ranking) else { throw Self.noDirection }
        } else if isDone == false {
            throw Self.noDirection
        }
    }

    private static let noDirection = PipelineError.frame(
        "match.not_finite", "the vector is zero or not finite, so it has no direction")

    private static func wrongDimension(_ count: Int, _ dimension: Int) -> PipelineError {
        .frame(
            "match.dimension",
            "a vector of \(count) numbers cannot be compared with templates of \(dimension)",
            help: "protractor compares vectors of alternating x and y, all with the same number of points")
    }

    /// Returns the factor that scales a vector with this sum of squares to unit length, or `nil` if the vector has no direction.
    private static func scale(_ squares: Double) -> Double? {
        // For smaller sums, dividing by the length would overflow.
        squares > 1e-290 && squares.isFinite ? 1 / squares.squareRoot() : nil
    }

    /// Ranks a query. Returns `false` for a vector without direction.
    private func rank(_ values: [Double], _ scratch: inout Scratch, into ranking: inout [Ranked]) -> Bool {
        let squares = pk_single(values, dimension, &scratch.single)
        guard let scale = Self.scale(squares) else { return false }
        guard abs(squares - 1) > 1e-12 else {
            values.withUnsafeBufferPointer { rank(unit: $0, &scratch, into: &ranking) }
            return true
        }
        let unit = values.map { $0 * scale }
        _ = pk_single(unit, dimension, &scratch.single)
        unit.withUnsafeBufferPointer { rank(unit: $0, &scratch, into: &ranking) }
        return true
    }

    /// Ranks a unit vector whose single-precision copy is already in `scratch`.
    private func rank(unit: UnsafeBufferPointer<Double>, _ scratch: inout Scratch, into ranking: inout [Ranked]) {
        guard let query = unit.baseAddress else { return }
        pk_protractor_scores(
            templates.single, templates.paddedCount, dimension / 2, scratch.single, Float(cosTolerance),
            Float(sinTolerance), &scratch.scores)
        let count = pk_protractor_candidates(
            scratch.scores, starts, starts.count - 1, lowestSimilarity, slack, &scratch.best, &scratch.candidates)
        let ranked = pk_protractor_exact(
            query, templates.exact, dimension, cosTolerance, sinTolerance, &scratch.candidates, count)
        for index in 0..<ranked {
            let nearest = scratch.candidates[index]
            let angle = 2 * asin(min(1, 0.5 * max(nearest.square, 0).squareRoot()))
            insert(
                Ranked(category: Int(nearest.category), distance: angle, score: max(0, 1 - 2 * angle / .pi)),
                into: &ranking)
        }
    }
}

/// Inserts a category in order of distance, nearest first. Categories with equal distances remain in insertion order.
func insert(_ ranked: Ranked, into ranking: inout [Ranked]) {
    var place = ranking.count
    ranking.append(ranked)
    while place > 0, ranking[place - 1].distance > ranked.distance {
        ranking[place] = ranking[place - 1]
        place -= 1
    }
    ranking[place] = ranked
}
