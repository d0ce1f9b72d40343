/// The outline of a stroke with a round pen of varying width, as contours that together cover it.
///
/// Where the path is smooth, one polygon runs along its left side and back along its right. Three things end a polygon and begin a
/// new one: a sharp turn, the maximum number of points, and a curve so tight that its inner side would fold over. At a fold, two
/// triangles cover the gap between the polygons; otherwise a disc does. All contours have the same orientation, so that overlaps
/// do not leave holes. O(points).
enum InkOutline {
    /// A point of the center line, with half the width of the stroke.
    typealias Dot = (x: Double, y: Double, radius: Double)

    private typealias Pair = (left: Picture.Place, right: Picture.Place)

    /// The cosine of the sharpest turn inside one polygon.
    private static let sharpest = 0.94

    /// The maximum number of points along one polygon. The renderer sorts the corners of a polygon, so long polygons are slow to
    /// draw.
    private static let longest = 240

    /// The distance below which two points are indistinguishable, in pixels.
    private static let finest = 0.4

    /// Returns the contours of one stroke. A tap is a circle.
    static func contours(_ dots: [Dot]) -> [Picture.Contour] {
        let dots = thinned(dots)
        guard let first = dots.first, let last = dots.last else { return [] }
        var contours: [Picture.Contour] = [disc(first)]
        guard dots.count > 1 else { return contours }
        contours.append(disc(last))
        var run: [Pair] = []
        var normal = across(dots[0], dots[1])
        run.append(pair(dots[0], normal))
        for i in 1..<dots.count {
            let next = i + 1 < dots.count ? across(dots[i], dots[i + 1]) : normal
            let cosine = normal.x * next.x + normal.y * next.y
            let isSmooth = cosine > sharpest
            let scale = isSmooth ? 1 / (2 * (1 + cosine)).squareRoot() : 0
            let joint = isSmooth ? ((normal.x + next.x) * scale, (normal.y + next.y) * scale) : normal
            extend(&run, to: pair(dots[i], joint), &contours)
            if !isSmooth || run.count >= longest {
                close(&run, &contours)
                contours.append(disc(dots[i]))
                run.append(pair(dots[i], isSmooth ? joint : next))
            }
            normal = next
        }
        close(&run, &contours)
        return contours
    }

    /// Removes points that are too close to the last point kept, which gets the larger radius of the two. The last point of the
    /// stroke stays unless it has the same position.
    private static func thinned(_ dots: [Dot]) -> [Dot] {
        var kept: [Dot] = []
        for (i, dot) in dots.enumerated() {
            if let last = kept.last {
                let (dx, dy) = (dot.x - last.x, dot.y - last.y)
                let far = (dx * dx + dy * dy).squareRoot()
                if far == 0 || (far < finest && i < dots.count - 1) {
                    kept[kept.count - 1].radius = max(last.radius, dot.radius)
                    continue
                }
            }
            kept.append(dot)
        }
        return kept
    }

    private static func disc(_ dot: Dot) -> Picture.Contour {
        .circle(Picture.Place(x: dot.x, y: dot.y), radius: dot.radius)
    }

    /// Returns the unit vector across the path from one point to the next.
    private static func across(_ a: Dot, _ b: Dot) -> (x: Double, y: Double) {
        let (dx, dy) = (b.x - a.x, b.y - a.y)
        let length = (dx * dx + dy * dy).squareRoot()
        return length > 0 ? (-dy / length, dx / length) : (0, 1)
    }

    private static func pair(_ dot: Dot, _ normal: (x: Double, y: Double)) -> Pair {
        let (x, y) = (normal.x * dot.radius, normal.y * dot.radius)
        return (Picture.Place(x: dot.x + x, y: dot.y + y), Picture.Place(x: dot.x - x, y: dot.y - y))
    }

    /// Adds a pair of side points to a run. Where the quadrilateral to the new pair would fold over, the run ends, two triangles
    /// replace the quadrilateral, and a new run begins.
    private static func extend(_ run: inout [Pair], to next: Pair, _ contours: inout [Picture.Contour]) {
        defer { run.append(next) }
        guard let last = run.last else { return }
        let halves = [[last.right, last.left, next.left], [last.right, next.left, next.right]]
        guard halves.contains(where: { area($0) > 0 }) else { return }
        close(&run, &contours)
        for half in halves where area(half) != 0 { contours.append(.polygon(area(half) < 0 ? half : half.reversed())) }
    }

    /// Ends a run and adds its polygon, if the run has more than one pair.
    private static func close(_ run: inout [Pair], _ contours: inout [Picture.Contour]) {
        if run.count > 1 { contours.append(.polygon(run.map(\.left) + run.reversed().map(\.right))) }
        run.removeAll(keepingCapacity: true)
    }

    /// Returns twice the signed area of a triangle. It is negative for triangles with the orientation of the contours.
    private static func area(_ corners: [Picture.Place]) -> Double {
        let (a, b, c) = (corners[0], corners[1], corners[2])
        return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
    }
}
