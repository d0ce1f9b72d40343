/// Simplifies a path to its corners with the Ramer–Douglas–Peucker algorithm (Douglas, Peucker, "Algorithms for the reduction of
/// the number of points…", 1973). No point of the path is farther than a tolerance from the segments between the remaining points.
struct PathCorners {
    private let points: [SpotPoint]
    private let tolerance: Double

    /// - Parameters:
    ///   - points: The path.
    ///   - tolerance: The tolerance, in the unit of the coordinates.
    init(of points: [SpotPoint], tolerance: Double) {
        self.points = points
        self.tolerance = tolerance
    }

    /// Returns the remaining points: the first, the last, and the corners between them. O(points²) in the worst case.
    func kept() -> [SpotPoint] {
        guard points.count > 2 else { return points }
        var isKept = [Bool](repeating: false, count: points.count)
        isKept[0] = true
        isKept[points.count - 1] = true
        var ranges = [(0, points.count - 1)]
        while let (first, last) = ranges.popLast() {
            guard let farthest = farthest(between: first, last) else { continue }
            isKept[farthest] = true
            ranges.append((first, farthest))
            ranges.append((farthest, last))
        }
        return points.indices.filter { isKept[$0] }.map { points[$0] }
    }

    /// Returns the index of the point farthest from the segment between two others; `nil` if all points between them are within the
    /// tolerance.
    private func farthest(between first: Int, _ last: Int) -> Int? {
        let (a, b) = (points[first], points[last])
        let (dx, dy) = (b.x - a.x, b.y - a.y)
        let square = dx * dx + dy * dy
        var (found, most): (Int?, Double) = (nil, tolerance)
        for index in first..<last where index > first {
            let (x, y) = (points[index].x - a.x, points[index].y - a.y)
            let share = square > 0 ? min(max((x * dx + y * dy) / square, 0), 1) : 0
            let (ex, ey) = (x - share * dx, y - share * dy)
            let distance = (ex * ex + ey * ey).squareRoot()
            if distance > most { (found, most) = (index, distance) }
        }
        return found
    }
}
