import Pipeline

/// A gesture found in a movement.
struct SpottedGesture: Sendable {
    /// The index of the gesture in the list of categories.
    var category: Int
    /// The numbers of the first and the last position.
    var range: ClosedRange<Int>
    /// The distance to the nearest sample, plus the deviation of the movement from the template.
    var distance: Double
    /// The timestamp of the frame with the first position.
    var frame: Timestamp
    /// The time at which the gesture began, in microseconds.
    var start: Int64
    /// The time at which the gesture ended, in microseconds.
    var end: Int64
    /// The time at which the gesture is emitted unless a better one is found by then, in microseconds.
    var due: Int64

    /// Returns whether two gestures share more than half of the shorter one.
    func overlaps(_ other: SpottedGesture) -> Bool {
        let shared = min(range.upperBound, other.range.upperBound) - max(range.lowerBound, other.range.lowerBound)
        let shorter = min(range.upperBound - range.lowerBound, other.range.upperBound - other.range.lowerBound)
        return 2 * shared > shorter
    }

    /// Returns whether another gesture must not be emitted after this one: whether the two overlap, and the other one has the same
    /// category or is not a much better match.
    func excludes(_ other: SpottedGesture) -> Bool {
        overlaps(other) && (category == other.category || other.distance > Self.muchBetter * distance)
    }

    /// A match is much better than another if its distance is at most this factor times the distance of the other.
    private static let muchBetter = 0.7
}
