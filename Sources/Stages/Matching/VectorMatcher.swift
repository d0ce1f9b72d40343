import CKernels
import Pipeline
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A distance between two vectors.
protocol VectorMetric: Sendable {
    /// The name of the method.
    static var name: String { get }

    /// Whether vectors are compared at unit length, by the angle between them.
    static var isAngle: Bool { get }
}

/// The angle between two vectors, in radians.
enum CosineMetric: VectorMetric {
    static let name = "cosine"
    static let isAngle = true
}

/// The Euclidean distance between two vectors.
enum EuclideanMetric: VectorMetric {
    static let name = "euclidean"
    static let isAngle = false
}

/// Compares vectors, without rotation, by the k nearest neighbors of each category (Fix, Hodges 1951).
///
/// The distance to a category is the mean distance to its k nearest templates; see ``NearestTemplates``. Unlike votes of neighbors,
/// this gives a ranking of the categories, and a margin, for any k. Distances are computed in double precision. Angles are computed
/// as 2·asin(½‖u − v‖), which is more accurate near 0 than acos. Complexity: O(templates · dimension).
final class VectorMatcher<Metric: VectorMetric>: TemplateMatcher {
    static func name(_ rules: MatchRules) -> String { Metric.name }
    static var comparesAngles: Bool { Metric.isAngle }

    /// The number of elements of a vector.
    private let dimension: Int
    /// The elements of all templates, concatenated.
    private let templates: [Double]
    /// The index of the first template of each category, followed by the number of templates.
    private let starts: [Int]
    private let neighbours: Int?
    /// The largest distance that is a match, by category; `nil` if no limits are learned.
    private let limits: [Double]?
    /// Working memory that all streams share. While another stream is using it, a query allocates memory of its own.
    private let scratch: Lock<Scratch>

    private struct Scratch {
        /// The query at unit length, for angles.
        var query: [Double] = []
        /// The squared distance of every template.
        var distances: [Double] = []
        /// The smallest distances of one category, in order.
        var nearest: [Double] = []
    }

    init(templates: [[FeatureVector]], rules: MatchRules) throws {
        dimension = templates.first?.first?.values.count ?? 0
        var all: [Double] = []
        for template in templates.joined() {
            guard template.values.count == dimension, dimension > 0 else {
                throw Self.wrongDimension(template.values.count, dimension)
            }
            var values = template.values
            try Self.prepare(&values)
            all += values
        }
        self.templates = all
        starts = templates.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1.count) }
        neighbours = rules.neighbours
        limits = rules.limitFactor.map { [all, dimension, starts] factor in
            VectorLimits<Metric>(templates: all, dimension: dimension, starts: starts, neighbours: rules.neighbours)
                .learned().map { $0 * factor }
        }
        scratch = Lock(Scratch())
    }

    func limit(of category: Int, _ rules: MatchRules) -> Double {
        limits?[category] ?? (Self.comparesAngles ? min(rules.maxDistance, rules.thresholdRad) : rules.maxDistance)
    }

    /// Returns the default probability model. There is none for fixed limits.
    static func defaultConfidence(_ rules: MatchRules) -> MatchConfidence? { rules.limitFactor == nil ? nil : .hands }

    static func stored(_ limits: GestureLibrary.Limits) -> StoredLimits? {
        limits.hands.map { StoredLimits(factor: $0.factor, confidence: $0.confidence) }
    }

    func rank(_ query: FeatureVector, into ranking: inout [Ranked]) throws {
        guard query.values.count == dimension else { throw Self.wrongDimension(query.values.count, dimension) }
        let isDone = try scratch.withLockIfAvailable {
            try rank(query.values, &$0, into: &ranking)
            return true
        }
        guard isDone == nil else { return }
        // Another stream is using the working memory, so use separate memory.
        var own = Scratch()
        try rank(query.values, &own, into: &ranking)
    }

    private func rank(_ values: [Double], _ scratch: inout Scratch, into ranking: inout [Ranked]) throws {
        scratch.query.removeAll(keepingCapacity: true)
        scratch.query.append(contentsOf: values)
        try Self.prepare(&scratch.query)
        let count = starts.last ?? 0
        scratch.distances.resize(to: count, filler: 0)
        pk_squared_distances(templates, count, dimension, scratch.query, &scratch.distances)
        for category in 0..<(starts.count - 1) {
            let distance = NearestTemplates<Metric>.distance(
                scratch.distances[starts[category]..<starts[category + 1]], neighbours, &scratch.nearest)
            let score = Metric.isAngle ? max(0, 1 - 2 * distance / .pi) : 1 / (1 + distance)
            insert(Ranked(category: category, distance: distance, score: score), into: &ranking)
        }
    }

    /// Scales a vector to unit length, for angles.
    private static func prepare(_ values: inout [Double]) throws(PipelineError) {
        let largest = values.reduce(0) { max($0, abs($1)) }
        // Squares of larger numbers would overflow. `allSatisfy` is needed as well, because max ignores NaN.
        guard largest < 1e150, values.allSatisfy(\.isFinite) else {
            throw .frame("match.not_finite", "the vector has a number that is not finite or too large")
        }
        guard Metric.isAngle else { return }
        guard largest > 1e-145 else { throw .frame("match.not_finite", "the vector is zero, so it has no direction") }
        var squares = 0.0
        for index in values.indices {
            values[index] /= largest
            squares += values[index] * values[index]
        }
        let scale = 1 / squares.squareRoot()
        for index in values.indices { values[index] *= scale }
    }

    private static func wrongDimension(_ count: Int, _ dimension: Int) -> PipelineError {
        .frame(
            "match.dimension",
            "a vector of \(count) numbers cannot be compared with templates of \(dimension)",
            help:
                "\(Metric.name) needs vectors of equal length: strokes with the same number of points, or landmarks of one topology, all with z or all without"
        )
    }
}
