import CKernels

/// Learns from the templates of a library how far a vector may be from a gesture and still be accepted as that gesture, as
/// ``CloudLimits`` does for strokes.
///
/// A limit is a width times the geometric mean of two distances: `spread`, the distance of the templates of a gesture from each
/// other, and `nearest`, the distance to the nearest samples of other gestures. A limit is proportional to these distances, so the
/// features may have any scale. For the spread, each fifth of a gesture's samples is compared with the other four fifths only,
/// because neighboring samples of a recording are nearly identical.
struct VectorLimits<Metric: VectorMetric> {
    /// The factor on the geometric mean. With it, 5 % of unknown gestures were accepted on the hands of kinivi's
    /// hand-gesture-recognition-mediapipe (three of its four gestures known; one to hundreds of samples of each).
    private static var width: Double { 1.08 }
    /// The prior of the spread, as a share of `nearest`. The prior counts as much as one template.
    private static var usualSpread: Double { 0.4 }
    /// The largest learned limit for angles, in radians.
    private static var mostAngle: Double { 0.4 }
    /// The limit, as a multiple of the mean spread, if there is no other gesture.
    private static var alone: Double { 1.5 }
    /// The limit if there is nothing to learn from: one sample of one gesture.
    private static var unknown: Double { 0.25 }
    private static var folds: Int { 5 }
    /// The maximum number of a gesture's own samples that are compared.
    private static var mostOwn: Int { 60 }
    /// The maximum number of samples of other gestures that a gesture is compared with.
    private static var mostOthers: Int { 200 }
    /// The approximate maximum number of own samples that are compared for all gestures together.
    private static var mostCompared: Int { 4096 }
    /// The share of the samples of other gestures that may be outliers.
    private static var mistakes: Double { 0.02 }

    let templates: [Double]
    let dimension: Int
    /// The index of the first template of every gesture, followed by the number of templates.
    let starts: [Int]
    let neighbours: Int?

    /// Returns the limits of all gestures. O(gestures): at most 60 own and 200 other templates are compared for each gesture.
    func learned() -> [Double] {
        let most = min(Self.mostOwn, max(Self.mostCompared / max(starts.count - 1, 1), 1))
        return (0..<(starts.count - 1)).map { limit(of: $0, most) }
    }

    private func limit(of category: Int, _ most: Int) -> Double {
        let range = starts[category]..<starts[category + 1]
        let own = gathered(
            (0..<min(range.count, most)).map { range.lowerBound + $0 * range.count / min(range.count, most) })
        let count = own.count / max(dimension, 1)
        let spreads = spreads(of: own, count)
        guard let nearest = nearest(to: own, count, without: range) else {
            return spreads.isEmpty ? Self.unknown : Self.alone * spreads.reduce(0, +) / Double(spreads.count)
        }
        let spread = (Self.usualSpread * nearest + spreads.reduce(0, +)) / Double(spreads.count + 1)
        let limit = Self.width * (spread * nearest).squareRoot()
        return Metric.isAngle ? min(limit, Self.mostAngle) : limit
    }

    /// Returns the distance of each sample to the nearest sample outside its own fifth. Empty for a single sample.
    private func spreads(of own: [Double], _ count: Int) -> [Double] {
        let folds = min(Self.folds, count)
        guard folds > 1 else { return [] }
        var squares = [Double](repeating: 0, count: count)
        return (0..<count).map { place in
            measure(own, count, Array(own[(place * dimension)..<((place + 1) * dimension)]), &squares)
            let nearest = squares.indices.lazy.filter { $0 * folds / count != place * folds / count }.map {
                squares[$0]
            }
            return NearestTemplates<Metric>.length(nearest.min() ?? 0)
        }
    }

    /// Returns the distance to the nearest samples of other gestures, ignoring the few samples that may be outliers; `nil` if there
    /// is no other gesture.
    private func nearest(to own: [Double], _ count: Int, without range: Range<Int>) -> Double? {
        let others = (starts.last ?? 0) - range.count
        guard others > 0, count > 0 else { return nil }
        let taken = min(others, Self.mostOthers)
        var (squares, scratch) = ([Double](repeating: 0, count: count), [Double]())
        let distances = (0..<taken).map { number in
            let place = number * others / taken
            let template = place < range.lowerBound ? place : place + range.count
            measure(
                own, count, Array(templates[(template * dimension)..<((template + 1) * dimension)]), &squares)
            return NearestTemplates<Metric>.distance(squares[...], neighbours, &scratch)
        }
        return distances.sorted()[Int(Self.mistakes * Double(taken))]
    }

    private func measure(_ own: [Double], _ count: Int, _ query: [Double], _ squares: inout [Double]) {
        pk_squared_distances(own, count, dimension, query, &squares)
    }

    private func gathered(_ places: [Int]) -> [Double] {
        places.flatMap { templates[($0 * dimension)..<(($0 + 1) * dimension)] }
    }
}
