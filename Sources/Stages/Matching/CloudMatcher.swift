import CKernels
import Pipeline
import Synchronization

/// Compares gestures of any number of strokes by shape, and gestures of one stroke also by path.
///
/// The shape is a cloud of 32 points with undirected tangents, compared as $P+ does (Vatavu, "Improving gesture recognition
/// accuracy on touch screens for users with low vision", CHI 2017), and a histogram of orientations in 8×8 cells. The path is a
/// sequence of 31 steps, compared by dynamic time warping (DTW). The contribution of the path to the distance is capped, so that a
/// gesture drawn backward is still recognized. Each distance is divided by a constant, its median for pairs of different gestures,
/// so that all have the same scale. The distance of a gesture is 0.7 times that of its nearest sample plus 0.3 times that of the
/// next.
///
/// Complexity: O(templates · points²). In a large library, the histograms select the templates that are compared in full. Paths are
/// compared only if they can change the reported result. All computations are in single precision, and give the same bits on every
/// machine.
final class CloudMatcher: TemplateMatcher {
    typealias Query = Stroke
    typealias Template = GestureCloud

    static func name(_ rules: MatchRules) -> String { "cloud" }
    static let comparesAngles = false

    static func template(of query: Stroke) throws -> GestureCloud { try GestureCloud(query) }

    /// The number of nearest templates whose angle is refined.
    private static let refined = 8

    private let templates: AlignedFloats
    private let isOneStroke: [Bool]
    private let angles: CloudAngles
    private let coarseAngles: [Int]
    private let choice: CloudChoice
    /// The largest distance that is a match, by gesture.
    private let limits: [Double]
    /// The largest distance at which a gesture is ranked. The two nearest gestures are always ranked.
    private let farthest: Float
    /// Working memory that all workers of a stage share, because it grows with the library. While another worker is using it, a
    /// query allocates memory of its own.
    private let scratch: Lock<CloudScratch>

    init(templates: [[GestureCloud]], rules: MatchRules) throws {
        let all = templates.flatMap { $0 }
        let memory = AlignedFloats(count: all.count * GestureCloud.count)
        for (index, template) in all.enumerated() {
            (memory.base + index * GestureCloud.count).update(from: template.features, count: template.features.count)
        }
        self.templates = memory
        let isOneStroke = all.map(\.isOneStroke)
        self.isOneStroke = isOneStroke
        angles = CloudAngles(toleranceDeg: rules.rotationToleranceDeg)
        coarseAngles = angles.coarse
        choice = CloudChoice(memory, sizes: templates.map(\.count))
        let starts = templates.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1.count) }
        // A fixed or stored limit can apply in addition to the learned ones.
        var largest = rules.limitFactor == nil || rules.maxDistance < .infinity ? rules.maxDistance : 0
        if let factor = rules.limitFactor {
            let learned = CloudLimits(
                templates: memory, isOneStroke: isOneStroke, subjects: all.map(\.subject), starts: starts
            ).learned()
            limits = learned.map { $0 * factor }
        } else {
            limits = Array(repeating: rules.maxDistance, count: templates.count)
        }
        let byScore = rules.scoreThreshold > 0 ? 1 / rules.scoreThreshold - 1 : .infinity
        largest = max(largest, limits.max() ?? 0)
        farthest = rules.ranksAll ? Float(min(largest, byScore)).nextUp : 0
        scratch = Lock(CloudScratch(angles))
    }

    func limit(of category: Int, _ rules: MatchRules) -> Double { limits[category] }

    /// Returns the default probability model. There is none for fixed limits.
    static func defaultConfidence(_ rules: MatchRules) -> MatchConfidence? { rules.limitFactor == nil ? nil : .cloud }

    static func stored(_ limits: GestureLibrary.Limits) -> StoredLimits? {
        StoredLimits(distances: limits.distances, confidence: limits.confidence)
    }

    func rank(_ query: Stroke, into ranking: inout [Ranked]) throws {
        let points = try EvenPoints(query)
        let isDone: Void? = scratch.withLockIfAvailable { rank(points, &$0, into: &ranking) }
        guard isDone == nil else { return }
        // Another stream is using the working memory, so use separate memory.
        var own = CloudScratch(angles)
        rank(points, &own, into: &ranking)
    }

    private func rank(_ points: EvenPoints, _ scratch: inout CloudScratch, into ranking: inout [Ranked]) {
        scratch.begin(points)
        choice.choose(coarseAngles, &scratch)
        compareShapes(&scratch)
        if angles.count > 1 { refineAngles(&scratch) }
        group(points.isOneStroke, &scratch)
        var (first, second) = (Float.infinity, Float.infinity)
        for group in scratch.groups {
            let most = group.highest.distance
            (first, second) = most < first ? (most, first) : (first, min(second, most))
        }
        let cutoff = max(second, farthest)
        if points.isOneStroke { comparePaths(upTo: cutoff, &scratch) }
        for group in scratch.groups where group.lowest.distance <= cutoff {
            let distance = Double(distance(of: group, points.isOneStroke, scratch))
            insert(Ranked(category: group.category, distance: distance, score: 1 / (1 + distance)), into: &ranking)
        }
    }

    /// Compares the shapes of all chosen templates, each at its best angle.
    private func compareShapes(_ scratch: inout CloudScratch) {
        let count = scratch.which.count
        scratch.shapes.resize(to: count, filler: 0)
        scratch.fresh.resize(to: count, filler: 0)
        scratch.bestAngles.removeAll(keepingCapacity: true)
        scratch.bestAngles.append(contentsOf: repeatElement(0, count: count))
        for angle in coarseAngles {
            let query = scratch.features(at: angle)
            guard angle != 0 else {
                pk_cloud_shapes(query, templates.base, scratch.which, count, &scratch.shapes)
                continue
            }
            pk_cloud_shapes(query, templates.base, scratch.which, count, &scratch.fresh)
            for place in 0..<count where scratch.fresh[place] < scratch.shapes[place] {
                scratch.shapes[place] = scratch.fresh[place]
                scratch.bestAngles[place] = angle
            }
        }
    }

    /// Searches for a better angle between the angles of the coarse search, for the nearest templates.
    private func refineAngles(_ scratch: inout CloudScratch) {
        let order = scratch.shapes.indices.sorted { (scratch.shapes[$0], $0) < (scratch.shapes[$1], $1) }
        for place in order.prefix(Self.refined) {
            for step in CloudAngles.refinements {
                let middle = scratch.bestAngles[place]
                for angle in [middle - step, middle + step] where abs(angle) <= angles.last {
                    let query = scratch.features(at: angle)
                    var (which, distance) = (scratch.which[place], Float(0))
                    pk_cloud_shapes(query, templates.base, &which, 1, &distance)
                    guard distance < scratch.shapes[place] else { continue }
                    scratch.shapes[place] = distance
                    scratch.bestAngles[place] = angle
                }
            }
        }
    }

    /// Groups the compared templates by gesture, with lower and upper bounds of each gesture's distance.
    private func group(_ queryIsOneStroke: Bool, _ scratch: inout CloudScratch) {
        scratch.groups.removeAll(keepingCapacity: true)
        for (place, template) in scratch.which.enumerated() {
            let category = choice.category(of: template)
            if scratch.groups.last?.category != category {
                scratch.groups.append(CloudGroup(category: category, places: place..<place))
            }
            let shape = scratch.shapes[place]
            let hasPath = queryIsOneStroke && isOneStroke[Int(template)]
            let group = scratch.groups.count - 1
            scratch.groups[group].places = scratch.groups[group].places.lowerBound..<(place + 1)
            scratch.groups[group].lowest.add(GestureCloud.fused(shape: shape, path: hasPath ? 0 : nil))
            scratch.groups[group].highest.add(GestureCloud.fused(shape: shape, path: hasPath ? .infinity : nil))
        }
    }

    /// Compares the paths of all templates of gestures whose distance may be within a limit.
    ///
    /// Templates with the same angle are compared together: several cost little more than one.
    private func comparePaths(upTo limit: Float, _ scratch: inout CloudScratch) {
        scratch.paths.resize(to: scratch.which.count, filler: 0)
        scratch.places.removeAll(keepingCapacity: true)
        for group in scratch.groups where group.lowest.distance <= limit {
            for place in group.places where isOneStroke[Int(scratch.which[place])] { scratch.places.append(place) }
        }
        if angles.count > 1 {
            let bestAngles = scratch.bestAngles
            scratch.places.sort { (bestAngles[$0], $0) < (bestAngles[$1], $1) }
        }
        var begin = 0
        while begin < scratch.places.count {
            let angle = scratch.bestAngles[scratch.places[begin]]
            let end = scratch.places[begin...].firstIndex { scratch.bestAngles[$0] != angle } ?? scratch.places.count
            scratch.comparePaths(templates, begin..<end, at: angle)
            begin = end
        }
    }

    /// Returns the distance of a gesture, computed from its two nearest templates.
    private func distance(
        of group: CloudGroup, _ queryIsOneStroke: Bool, _ scratch: borrowing CloudScratch
    ) -> Float {
        var nearest = NearestTwo()
        for place in group.places {
            let hasPath = queryIsOneStroke && isOneStroke[Int(scratch.which[place])]
            nearest.add(GestureCloud.fused(shape: scratch.shapes[place], path: hasPath ? scratch.paths[place] : nil))
        }
        return nearest.distance
    }
}
