/// A gesture found in a movement.
struct SpottedGesture: Sendable {
    /// The gesture's place among those compared.
    var category: Int
    /// The numbers of the positions from which to which it was found.
    var range: ClosedRange<Int>
    /// How far it is from the nearest sample, and how little the movement followed it.
    var distance: Double
    /// When it began and ended, in microseconds.
    var start: Int64
    var end: Int64
    /// When it is emitted, if no better one is found by then.
    var due: Int64

    /// Whether two share more than half of the shorter one.
    func overlaps(_ other: SpottedGesture) -> Bool {
        let shared = min(range.upperBound, other.range.upperBound) - max(range.lowerBound, other.range.lowerBound)
        let shorter = min(range.upperBound - range.lowerBound, other.range.upperBound - other.range.lowerBound)
        return 2 * shared > shorter
    }

    /// Whether another is not told once this one has been: it is the same movement, and not a much better name for it.
    func excludes(_ other: SpottedGesture) -> Bool {
        overlaps(other) && (category == other.category || other.distance > Self.muchBetter * distance)
    }

    /// The share of a distance that is a much better one.
    private static let muchBetter = 0.7
}
