#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Computes the distance of a category from the distances of its templates (k nearest neighbors).
enum NearestTemplates<Metric: VectorMetric> {
    /// From this number of templates on, the nearest one may be an outlier, so more of them count.
    private static var many: Int { 16 }

    /// Returns the mean distance of the nearest templates.
    ///
    /// If `neighbours` is `nil`, the number of nearest templates that count is half the square root of the number of templates.
    /// With fewer than 16 templates, the nearest counts 0.7 and the next 0.3, as in ``CloudMatcher``.
    ///
    /// - Parameters:
    ///   - squares: The squared distances of all templates.
    ///   - neighbours: The number of nearest templates that count.
    ///   - nearest: Working memory.
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

    /// Returns the distance for a squared distance, or the angle for a metric of angles.
    static func length(_ square: Double) -> Double {
        let length = max(square, 0).squareRoot()
        return Metric.isAngle ? 2 * asin(min(1, 0.5 * length)) : length
    }
}
