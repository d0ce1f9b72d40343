/// A sample of a gesture, prepared for the search: the directions between its corners, and the relation of its two ends.
///
/// Equivalent to Machete's templates (Taranta et al., "Machete: easy, efficient, and precise continuous custom gesture
/// segmentation", TOCHI 2021).
struct SpotTemplate: Sendable {
    /// A point nearer than this to the line between two corners, in diagonals of the gesture, is not a corner.
    private static let cornerTolerance = 0.01
    /// A first or last segment that is shorter than this share of its neighbor is a hook, which is not part of the shape.
    private static let longestHook = 0.2

    /// A unit vector.
    struct Direction: Sendable {
        var x: Double
        var y: Double
    }

    /// The index of the gesture in the list of categories.
    let category: Int
    /// The directions from corner to corner; at least one.
    let directions: [Direction]
    /// The distance from the first point to the last, as a share of the length of the path.
    let openness: Double
    /// The direction from the first point to the last.
    let heading: Direction
    /// The weights of the openness and of the heading.
    let opennessWeight: Double
    let headingWeight: Double
    /// The duration, in microseconds; 0 if unknown.
    let duration: Int64

    /// - Parameters:
    ///   - points: The sample's points, smoothed in the same way as the movement.
    ///   - category: The index of the gesture.
    /// - Returns: `nil` for a sample without extent.
    init?(_ points: [SpotPoint], category: Int) {
        guard let first = points.first, let last = points.last else { return nil }
        var (low, high, length) = (first, first, 0.0)
        for (index, point) in points.enumerated() {
            low = SpotPoint(x: min(low.x, point.x), y: min(low.y, point.y), time: 0)
            high = SpotPoint(x: max(high.x, point.x), y: max(high.y, point.y), time: 0)
            if index > 0 { length += points[index - 1].distance(to: point) }
        }
        let diagonal = low.distance(to: high)
        guard diagonal > 0 else { return nil }
        let corners = Self.withoutHooks(
            PathCorners(of: points, tolerance: diagonal * Self.cornerTolerance).kept())
        self.category = category
        directions = zip(corners, corners.dropFirst()).compactMap { Self.direction(from: $0, to: $1) }
        guard !directions.isEmpty, let start = corners.first, let end = corners.last else { return nil }
        let span = start.distance(to: end)
        openness = span / length
        heading = Self.direction(from: start, to: end) ?? Direction(x: 0, y: 0)
        opennessWeight = 1 - span / diagonal
        headingWeight = min(1, 2 * span / diagonal)
        duration = last.time - first.time
    }

    private static func direction(from start: SpotPoint, to end: SpotPoint) -> Direction? {
        let length = start.distance(to: end)
        return length > 0 ? Direction(x: (end.x - start.x) / length, y: (end.y - start.y) / length) : nil
    }

    private static func withoutHooks(_ corners: [SpotPoint]) -> [SpotPoint] {
        var kept = corners[...]
        func length(_ index: Int) -> Double { kept[index].distance(to: kept[index + 1]) }
        if kept.count > 3, length(kept.startIndex) < longestHook * length(kept.startIndex + 1) { kept.removeFirst() }
        if kept.count > 3, length(kept.endIndex - 2) < longestHook * length(kept.endIndex - 3) { kept.removeLast() }
        return Array(kept)
    }

    /// Returns the factor by which a match costs more because its ends differ from those of the gesture: 1 to 4.
    ///
    /// - Parameters:
    ///   - span: The vector from the first point of the match to the last.
    ///   - length: The length of its path.
    func correction(span: SpotTemplate.Direction, length: Double) -> Double {
        let distance = (span.x * span.x + span.y * span.y).squareRoot()
        let openness = length > 0 ? distance / length : 0
        let (less, more) = (min(openness, self.openness), max(openness, self.openness))
        let byOpenness = less > 0 ? 1 + opennessWeight * (more / less - 1) : more > 0 ? 2 : 1
        let cosine = distance > 0 ? (span.x * heading.x + span.y * heading.y) / distance : 0
        return min(2, byOpenness) * min(2, 1 + (1 - cosine) / 2 * headingWeight)
    }
}
