import Pipeline

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The position of a pointer at a time.
struct SpotPoint: Sendable {
    var x: Double
    var y: Double
    /// The stream time, in microseconds.
    var time: Int64

    /// Returns the distance to another point.
    func distance(to other: SpotPoint) -> Double {
        let (dx, dy) = (other.x - x, other.y - y)
        return (dx * dx + dy * dy).squareRoot()
    }

    /// Returns the time since another point. The times of samples in a Swift program can be any numbers.
    func microseconds(since other: SpotPoint) -> Double { Double(time.subtractingSaturated(other.time)) }
}

/// Smooths positions exponentially in time, so that the result does not depend on the rate of the device.
struct PointSmoother: Sendable {
    private let constantUs: Double
    private var last: SpotPoint?
    /// The smoothed position before the time of `last`.
    private var before: SpotPoint?

    /// - Parameter milliseconds: The time constant, after which the output has followed 63 % of a jump; 0 for no smoothing.
    init(milliseconds: Double) { constantUs = milliseconds * 1000 }

    /// Returns the smoothed position. A position with the same time as the previous one replaces it in the filter.
    mutating func smooth(_ point: SpotPoint) -> SpotPoint {
        if let last, point.time != last.time { before = last }
        guard let before, constantUs > 0 else {
            last = point
            return point
        }
        let share = 1 - exp(-max(point.microseconds(since: before), 0) / constantUs)
        let here = SpotPoint(
            x: before.x + share * (point.x - before.x), y: before.y + share * (point.y - before.y), time: point.time)
        last = here
        return here
    }

    /// Resets the filter.
    mutating func reset() { (last, before) = (nil, nil) }
}
