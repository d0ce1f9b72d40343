import Pipeline

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Where a pointer was, and when.
struct SpotPoint: Sendable {
    var x: Double
    var y: Double
    /// Microseconds in the time of the stream.
    var time: Int64

    /// The distance to another point.
    func distance(to other: SpotPoint) -> Double {
        let (dx, dy) = (other.x - x, other.y - y)
        return (dx * dx + dy * dy).squareRoot()
    }
}

/// Smooths positions exponentially, by the time that has passed, so that the rate of the device plays no part.
struct PointSmoother: Sendable {
    private let constantUs: Double
    private var last: SpotPoint?

    /// - Parameter milliseconds: After this time, 63 % of a jump is followed; 0 for none.
    init(milliseconds: Double) { constantUs = milliseconds * 1000 }

    /// The smoothed position.
    mutating func smooth(_ point: SpotPoint) -> SpotPoint {
        guard let before = last, constantUs > 0 else {
            last = point
            return point
        }
        let share = 1 - exp(-Double(max(point.time - before.time, 0)) / constantUs)
        let here = SpotPoint(
            x: before.x + share * (point.x - before.x), y: before.y + share * (point.y - before.y), time: point.time)
        last = here
        return here
    }

    /// Forgets what was there.
    mutating func reset() { last = nil }
}
