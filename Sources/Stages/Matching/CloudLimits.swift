import CKernels

/// Learns from the templates of a library how far a query may be from a gesture and still be accepted as that gesture.
///
/// A limit is a width times the geometric mean of two distances: `spread`, the distance of the templates of a gesture from each
/// other, and `nearest`, the distance to the nearest template of another gesture. The mean is capped at ``most``. Gestures of
/// several strokes vary more, so their width is larger. If several people drew a gesture, the spread is the distance between
/// templates of different people: the samples of one person are alike, but the next user may be another person.
struct CloudLimits {
    /// The largest limit, before it is multiplied by the width.
    static let most = 0.42
    /// The limit, before it is multiplied by the width, for libraries with too many gestures to compare.
    private static let usual = 0.3
    /// The maximum number of templates whose pairwise distances are computed.
    private static let compared = 512

    private struct Kind {
        /// The prior of the spread, which counts as much as one template.
        let spread: Double
        /// The factor from the mean of the two distances to the limit.
        let width: Double
        static let oneStroke = Kind(spread: 0.16, width: 0.93)
        static let severalStrokes = Kind(spread: 0.2, width: 1.1)
    }

    let templates: AlignedFloats
    let isOneStroke: [Bool]
    /// The people who drew the templates, if known.
    let subjects: [String?]
    /// The index of the first template of every gesture, followed by the number of templates.
    let starts: [Int]

    /// Returns the limits of all gestures. O(templates²), for at most 512 templates.
    func learned() -> [Double] {
        let categories = starts.count - 1
        let kinds = (0..<categories).map { category in
            isOneStroke[starts[category]..<starts[category + 1]].allSatisfy { $0 } ? Kind.oneStroke : .severalStrokes
        }
        guard categories <= Self.compared else { return kinds.map { Self.usual * $0.width } }
        let most = Self.compared / max(categories, 1)
        // An evenly spaced selection of templates of every gesture, and the gesture that each belongs to.
        let chosen = (0..<categories).map { Self.spaced(starts[$0]..<starts[$0 + 1], most) }
        let which = chosen.flatMap { $0.map(UInt32.init) }
        let owners = chosen.enumerated().flatMap { Array(repeating: $0.offset, count: $0.element.count) }
        let isOfSeveral = chosen.map { Set($0.compactMap { subjects[$0] }).count > 1 }
        var spreads = [Double](repeating: 0, count: categories)
        var nearest = [Double](repeating: .infinity, count: categories)
        var pair = PairDistances(templates: templates, which: which)
        for (place, owner) in owners.enumerated() {
            let distances = pair.distances(from: place, isOneStroke)
            var found = [NearestTwo](repeating: NearestTwo(), count: categories)
            for (other, distance) in distances.enumerated() where other != place {
                let isOwn = owners[other] == owner && isOfSeveral[owner]
                if isOwn, subjects[Int(which[other])] == subjects[Int(which[place])] { continue }
                found[owners[other]].add(distance)
            }
            for category in 0..<categories {
                if category != owner {
                    nearest[category] = min(nearest[category], Double(found[category].distance))
                } else if chosen[category].count > 1 {
                    spreads[category] += Double(found[category].nearest)
                }
            }
        }
        return (0..<categories).map { category in
            let (kind, count) = (kinds[category], chosen[category].count)
            let spread = (kind.spread + spreads[category]) / Double(count > 1 ? count + 1 : 1)
            return kind.width * min(Self.most, (spread * nearest[category]).squareRoot())
        }
    }
}

extension CloudLimits {
    /// Returns at most `most` elements of a range, evenly spaced.
    fileprivate static func spaced(_ range: Range<Int>, _ most: Int) -> [Int] {
        guard range.count > most else { return Array(range) }
        return (0..<most).map { range.lowerBound + $0 * range.count / most }
    }
}

/// Computes the distances between templates.
private struct PairDistances {
    private let templates: AlignedFloats
    private let which: [UInt32]
    private var shapes: [Float]
    private var paths: [Float]
    private var reversed = [Float](repeating: 0, count: Int(PK_CLOUD_REVERSED))

    init(templates: AlignedFloats, which: [UInt32]) {
        (self.templates, self.which) = (templates, which)
        shapes = [Float](repeating: 0, count: which.count)
        paths = shapes
    }

    /// Returns the distances from one of the templates to all of them.
    mutating func distances(from place: Int, _ isOneStroke: [Bool]) -> [Float] {
        let query = templates.base + Int(which[place]) * GestureCloud.count
        pk_cloud_shapes(query, templates.base, which, which.count, &shapes)
        let hasPath = isOneStroke[Int(which[place])]
        if hasPath {
            pk_cloud_reversed(query, &reversed)
            pk_cloud_warps(reversed, templates.base, which, which.count, &paths)
        }
        return which.indices.map { other in
            let isPair = hasPath && isOneStroke[Int(which[other])]
            return GestureCloud.fused(shape: shapes[other], path: isPair ? paths[other] : nil)
        }
    }
}
