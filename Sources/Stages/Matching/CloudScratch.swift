import CKernels

/// The angles at which a query is compared: a grid of 2.5° within the tolerance, plus the ends of the tolerance.
struct CloudAngles: Sendable {
    private static let step = 2.5
    /// The number of grid steps between the angles of the coarse search.
    private static let coarseness = 4
    /// The steps of the fine search around the best angle of the coarse search, in grid steps.
    static let refinements = [2, 1]

    private let toleranceDeg: Double
    /// The largest index of an angle. The indices go from `-last` to `last`, and 0 is the gesture as drawn.
    let last: Int

    init(toleranceDeg: Double) {
        self.toleranceDeg = toleranceDeg
        last = Int((toleranceDeg / Self.step).rounded(.up))
    }

    /// The number of angles.
    var count: Int { 2 * last + 1 }

    /// The indices of the angles of the coarse search, 10° apart: first the gesture as drawn, then larger and larger angles.
    var coarse: [Int] {
        let positive = Array(stride(from: Self.coarseness, to: last, by: Self.coarseness)) + (last > 0 ? [last] : [])
        return [0] + positive.flatMap { [$0, -$0] }
    }

    /// Returns the angle with an index, in radians.
    func radians(_ index: Int) -> Double {
        min(max(Double(index) * Self.step, -toleranceDeg), toleranceDeg) * .pi / 180
    }
}

/// A query of a ``CloudMatcher``, and the working memory of its comparison.
struct CloudScratch {
    private let angles: CloudAngles
    private let features: AlignedFloats
    private var isMade: [Bool]
    private var points: EvenPoints?
    private var reversed = [Float](repeating: 0, count: Int(PK_CLOUD_REVERSED))
    /// The angle that `reversed` was computed for.
    private var reversedAngle: Int?

    /// The histogram distance of every template, if histograms select the templates.
    var histograms: [Float] = []
    /// The indices of the templates to compare, in library order.
    var which: [UInt32] = []
    /// The shape distance of each template in `which`, at its best angle.
    var shapes: [Float] = []
    /// The best angle of each template in `which`.
    var bestAngles: [Int] = []
    /// The distances at the angle that is being compared.
    var fresh: [Float] = []
    /// The gestures to compare.
    var groups: [CloudGroup] = []
    /// The positions in `which` of the templates whose paths are compared.
    var places: [Int] = []
    /// The path distance of each template in `which`; undefined if its path is not compared.
    var paths: [Float] = []
    private var chosen: [UInt32] = []

    init(_ angles: CloudAngles) {
        self.angles = angles
        features = AlignedFloats(count: angles.count * GestureCloud.count)
        isMade = [Bool](repeating: false, count: angles.count)
    }

    /// Starts a new query.
    mutating func begin(_ points: EvenPoints) {
        self.points = points
        reversedAngle = nil
        for index in isMade.indices { isMade[index] = false }
    }

    /// Returns the query's features, rotated by an angle of the grid.
    mutating func features(at angle: Int) -> UnsafePointer<Float> {
        let slot = angle + angles.last
        let memory = features.base + slot * GestureCloud.count
        if !isMade[slot] {
            points?.writeFeatures(turnedBy: angles.radians(angle), to: memory)
            isMade[slot] = true
        }
        return UnsafePointer(memory)
    }

    /// Compares the paths of the templates at some of ``places`` with the query's path, rotated by an angle of the grid.
    mutating func comparePaths(_ templates: AlignedFloats, _ range: Range<Int>, at angle: Int) {
        if reversedAngle != angle {
            pk_cloud_reversed(features(at: angle), &reversed)
            reversedAngle = angle
        }
        chosen.removeAll(keepingCapacity: true)
        for place in places[range] { chosen.append(which[place]) }
        fresh.resize(to: chosen.count, filler: 0)
        pk_cloud_warps(reversed, templates.base, chosen, chosen.count, &fresh)
        for (index, place) in places[range].enumerated() { paths[place] = fresh[index] }
    }
}

/// One of the gestures to compare.
struct CloudGroup {
    /// The index of the gesture in the library.
    let category: Int
    /// The range of its templates among those that are compared.
    var places: Range<Int>
    /// The lower and the upper bound of its distance.
    var lowest = NearestTwo()
    var highest = NearestTwo()
}

/// The distances of the two nearest templates of a gesture.
struct NearestTwo {
    /// The weight of the nearest template in a gesture's distance. The next template has the remaining weight.
    private static let shareOfNearest: Float = 0.7

    private(set) var nearest = Float.infinity
    private(set) var next = Float.infinity

    /// Adds the distance of a template.
    mutating func add(_ distance: Float) {
        if distance < nearest {
            (nearest, next) = (distance, nearest)
        } else {
            next = min(next, distance)
        }
    }

    /// The distance of the gesture.
    var distance: Float {
        next < .infinity ? Self.shareOfNearest * nearest + (1 - Self.shareOfNearest) * next : nearest
    }
}
