import CKernels

/// Learns from the templates of a library how far a gesture may be from them and still be one of theirs.
///
/// A limit is the geometric mean of two distances: `spread`, how far the templates of a gesture are from each other, and `nearest`, how far the
/// nearest template of another gesture is. It is never more than ``most``. Gestures of several strokes vary more. Where several people
/// drew a gesture, the spread is that between people: one person's samples are alike, and the next person is another one.
struct CloudLimits {
    /// The largest limit before its width.
    static let most = 0.42
    /// The limit where there are too many gestures to compare them all.
    private static let usual = 0.3
    /// Of how many templates all distances are computed.
    private static let compared = 512

    /// What is known of the spread before any template is seen, as if by one template, and how wide the limit is.
    private struct Kind {
        let spread: Double
        let width: Double
        static let oneStroke = Kind(spread: 0.16, width: 0.93)
        static let severalStrokes = Kind(spread: 0.2, width: 1.1)
    }

    let templates: AlignedFloats
    let isOneStroke: [Bool]
    /// Who drew them, where that is known.
    let subjects: [String?]
    /// Where the templates of every gesture begin, and the end of the last.
    let starts: [Int]

    /// The limits of all gestures. O(templates²), of 512 templates at most.
    func learned() -> [Double] {
        let categories = starts.count - 1
        let kinds = (0..<categories).map { category in
            isOneStroke[starts[category]..<starts[category + 1]].allSatisfy { $0 } ? Kind.oneStroke : .severalStrokes
        }
        guard categories <= Self.compared else { return kinds.map { Self.usual * $0.width } }
        let most = Self.compared / max(categories, 1)
        // So many templates of every gesture, from all over it, and the gesture each is of.
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
    /// At most so many elements of a range, evenly spaced.
    fileprivate static func spaced(_ range: Range<Int>, _ most: Int) -> [Int] {
        guard range.count > most else { return Array(range) }
        return (0..<most).map { range.lowerBound + $0 * range.count / most }
    }
}

/// The distances between templates.
private struct PairDistances {
    private let templates: AlignedFloats
    private let which: [UInt32]
    private var shapes: [Float]
    private var ways: [Float]
    private var reversed = [Float](repeating: 0, count: Int(PK_CLOUD_REVERSED))

    init(templates: AlignedFloats, which: [UInt32]) {
        (self.templates, self.which) = (templates, which)
        shapes = [Float](repeating: 0, count: which.count)
        ways = shapes
    }

    /// From one of them to all.
    mutating func distances(from place: Int, _ isOneStroke: [Bool]) -> [Float] {
        let query = templates.base + Int(which[place]) * GestureCloud.count
        pk_cloud_shapes(query, templates.base, which, which.count, &shapes)
        let hasWay = isOneStroke[Int(which[place])]
        if hasWay {
            pk_cloud_reversed(query, &reversed)
            pk_cloud_warps(reversed, templates.base, which, which.count, &ways)
        }
        return which.indices.map { other in
            let isPair = hasWay && isOneStroke[Int(which[other])]
            return GestureCloud.fused(shape: shapes[other], way: isPair ? ways[other] : nil)
        }
    }
}
