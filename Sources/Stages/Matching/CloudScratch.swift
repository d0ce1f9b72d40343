import CKernels

/// The angles at which a query is compared: a grid of 2.5° within the tolerance, and its ends.
struct CloudAngles: Sendable {
    private static let step = 2.5
    /// How many steps of the grid lie between angles of the first search.
    private static let coarseness = 4
    /// How far around the best angle of the first search the second looks, in steps of the grid.
    static let refinements = [2, 1]

    private let toleranceDeg: Double
    /// The largest index; the smallest is its opposite, and 0 is the gesture as drawn.
    let last: Int

    init(toleranceDeg: Double) {
        self.toleranceDeg = toleranceDeg
        last = Int((toleranceDeg / Self.step).rounded(.up))
    }

    /// How many there are.
    var count: Int { 2 * last + 1 }

    /// Those of the first search, 10° apart: as drawn first, then away from it.
    var coarse: [Int] {
        let positive = Array(stride(from: Self.coarseness, to: last, by: Self.coarseness)) + (last > 0 ? [last] : [])
        return [0] + positive.flatMap { [$0, -$0] }
    }

    /// An angle in radians.
    func radians(_ index: Int) -> Double {
        min(max(Double(index) * Self.step, -toleranceDeg), toleranceDeg) * .pi / 180
    }
}

/// A query of a ``CloudMatcher``, and what it is compared with: memory to work in.
struct CloudScratch {
    private let angles: CloudAngles
    private let features: AlignedFloats
    private var isMade: [Bool]
    private var points: EvenPoints?
    private var reversed = [Float](repeating: 0, count: Int(PK_CLOUD_REVERSED))
    /// The angle of which `reversed` is.
    private var reversedAngle: Int?

    /// The histogram's distance of every template, where they choose.
    var histograms: [Float] = []
    /// The templates that are compared, in the order of the library.
    var which: [UInt32] = []
    /// The distance by shape of each, at its best angle.
    var shapes: [Float] = []
    /// That angle.
    var bestAngles: [Int] = []
    /// Distances at one angle.
    var fresh: [Float] = []
    /// The gestures that are compared.
    var groups: [CloudGroup] = []
    /// The places among `which` of templates whose ways are compared, and the distance of each.
    var places: [Int] = []
    var ways: [Float] = []
    private var chosen: [UInt32] = []

    init(_ angles: CloudAngles) {
        self.angles = angles
        features = AlignedFloats(count: angles.count * GestureCloud.count)
        isMade = [Bool](repeating: false, count: angles.count)
    }

    /// Begins with a query.
    mutating func begin(_ points: EvenPoints) {
        self.points = points
        reversedAngle = nil
        for index in isMade.indices { isMade[index] = false }
    }

    /// The query's features, turned by an angle of the grid.
    mutating func features(at angle: Int) -> UnsafePointer<Float> {
        let slot = angle + angles.last
        let memory = features.base + slot * GestureCloud.count
        if !isMade[slot] {
            points?.writeFeatures(turnedBy: angles.radians(angle), to: memory)
            isMade[slot] = true
        }
        return UnsafePointer(memory)
    }

    /// Compares the ways of templates, at some of ``places``, with that of the query turned by an angle of the grid.
    mutating func compareWays(_ templates: AlignedFloats, _ range: Range<Int>, at angle: Int) {
        if reversedAngle != angle {
            pk_cloud_reversed(features(at: angle), &reversed)
            reversedAngle = angle
        }
        chosen.removeAll(keepingCapacity: true)
        for place in places[range] { chosen.append(which[place]) }
        fresh.resize(to: chosen.count, filler: 0)
        pk_cloud_warps(reversed, templates.base, chosen, chosen.count, &fresh)
        for (index, place) in places[range].enumerated() { ways[place] = fresh[index] }
    }
}

/// One gesture among those that are compared.
struct CloudGroup {
    /// Its place in the library.
    let category: Int
    /// The places of its templates among those that are compared.
    var places: Range<Int>
    /// The least and the most that its distance can be.
    var lowest = NearestTwo()
    var highest = NearestTwo()
}

/// The two nearest templates of a gesture.
struct NearestTwo {
    /// How much of a gesture's distance is that of its nearest template; the rest is that of the next.
    private static let shareOfNearest: Float = 0.7

    private(set) var nearest = Float.infinity
    private(set) var next = Float.infinity

    /// Counts a template.
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
