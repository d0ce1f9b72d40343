#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// How far a category is by the distances of its templates.
enum NearestTemplates<Metric: VectorMetric> {
    /// From so many templates on, one alone may be a mistake.
    private static var many: Int { 16 }

    /// The mean distance of the nearest. Where nobody says of how many, of half the root of their number; of few templates the nearest counts
    /// 0.7 and the next 0.3, as for ``CloudMatcher``.
    ///
    /// - Parameters:
    ///   - squares: The squared distances of all templates.
    ///   - nearest: Memory to work in.
    static func distance(_ squares: ArraySlice<Double>, _ neighbours: Int?, _ nearest: inout [Double]) -> Double {
        let isWeighed = neighbours == nil && squares.count < many
        let count = max(1, neighbours ?? (isWeighed ? 2 : Int((Double(squares.count).squareRoot() / 2).rounded())))
        if count == 1 || squares.count == 1 { return length(squares.min() ?? .infinity) }
        nearest.removeAll(keepingCapacity: true)
        for square in squares {
            guard nearest.count < count || square < (nearest.last ?? .infinity) else { continue }
            if nearest.count == count { nearest.removeLast() }
            var place = nearest.count
            while place > 0, nearest[place - 1] > square { place -= 1 }
            nearest.insert(square, at: place)
        }
        if isWeighed, nearest.count == 2 { return 0.7 * length(nearest[0]) + 0.3 * length(nearest[1]) }
        return nearest.reduce(0) { $0 + length($1) } / Double(max(1, nearest.count))
    }

    /// The distance whose square is given.
    static func length(_ square: Double) -> Double {
        let length = max(square, 0).squareRoot()
        return Metric.isAngle ? 2 * asin(min(1, 0.5 * length)) : length
    }
}
