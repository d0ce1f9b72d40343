import CKernels

/// Learns from the templates of a library how far a vector may be from them and still be one of theirs, as ``CloudLimits`` does for strokes.
///
/// A limit is the geometric mean of `spread`, how far the templates of a gesture are from each other, and `nearest`, how near the samples of
/// other gestures come to it. Only their proportion counts, so that it does not matter what the numbers are. Neighboring samples of a
/// recording are nearly the same: a fifth of a gesture's samples is compared with the other four.
struct VectorLimits<Metric: VectorMetric> {
    /// By what the geometric mean is multiplied: so 5 % of unknown gestures came in on the hands of kinivi's
    /// hand-gesture-recognition-mediapipe (three of four gestures known; one to hundreds of samples of each).
    private static var width: Double { 1.08 }
    /// What is known of the spread before any template is seen, as a share of `nearest`, as if by one template.
    private static var usualSpread: Double { 0.4 }
    /// The largest angle that is a match, whatever is learned.
    private static var mostAngle: Double { 0.4 }
    /// The limit, as a share of the spread, where there is no other gesture.
    private static var alone: Double { 1.5 }
    /// The limit where there is nothing to learn from: one sample of one gesture.
    private static var unknown: Double { 0.25 }
    private static var folds: Int { 5 }
    /// Of how many samples of a gesture distances are computed, of how many of others, and of how many gestures altogether so many.
    private static var mostOwn: Int { 60 }
    private static var mostOthers: Int { 200 }
    private static var mostCompared: Int { 4096 }
    /// The share of the samples of others that may be mistakes.
    private static var mistakes: Double { 0.02 }

    let templates: [Double]
    let dimension: Int
    /// Where the templates of every gesture begin, and the end of the last.
    let starts: [Int]
    let neighbours: Int?

    /// The limits of all gestures. O(templates · gestures), of 60 and 200 templates for each of them at most.
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

    /// How far each sample is from the nearest of those that are not of its fifth; nothing of one sample alone.
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

    /// How near the samples of other gestures come, but for the few that may be mistakes; `nil` when there are none.
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
