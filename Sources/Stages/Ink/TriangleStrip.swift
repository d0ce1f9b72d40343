import Pipeline

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Covers a stroke with one triangle strip, piece by piece.
///
/// Every point has two vertices, half a width to either side of the path. A sharp turn (more than 20°) gets a round join, and the
/// ends get round caps. The first cap is a whole disc, so that a dot is visible as soon as the pen is down. A fan around a center
/// `c` is the vertices c, a₀, c, a₁, c, a₂ …: every second triangle has no area, and the others form the fan. All triangles lie
/// within half a width of the center line. Complexity: O(1) per point.
struct TriangleStrip: Sendable {
    /// The cosine of the sharpest turn that needs no join. At this turn, the vertices deviate by 1.5 % of the half width.
    private static let sharpest = 0.9397

    /// The maximum number of points that are processed at once: their vertices fill the 1,024 bytes that a temporary allocation can
    /// take from the stack.
    private static let run = 32

    private let arcSteps: Int
    private var last = Ink.Point(x: 0, y: 0)
    private var normal: (x: Double, y: Double)?
    private var isEmpty = true

    /// Creates a strip with the given number of triangles per half circle.
    init(arcSteps: Int) { self.arcSteps = arcSteps }

    /// Starts a new strip.
    mutating func begin() {
        isEmpty = true
        normal = nil
    }

    /// Processes the next points, and adds the vertices of all points but the last to `mesh`.
    mutating func append(_ points: ArraySlice<Ink.Point>, into mesh: inout [Ink.Vertex]) {
        points.withUnsafeBufferPointer { points in
            var rest = UnsafeBufferPointer(rebasing: points[...])
            while !rest.isEmpty {
                var taken = followSmooth(rest, into: &mesh)
                if taken < min(rest.count, Self.run) {
                    turn(to: rest[taken], into: &mesh)
                    taken += 1
                }
                rest = UnsafeBufferPointer(rebasing: rest[taken...])
            }
        }
    }

    /// Processes points up to the next sharp turn, at most ``run``, and returns their number. This is the fast path: nearly all
    /// points of ink qualify.
    private mutating func followSmooth(_ points: UnsafeBufferPointer<Ink.Point>, into mesh: inout [Ink.Vertex]) -> Int {
        guard var normal else { return 0 }
        // Work on copies that the compiler can keep in registers, and add the vertices to the mesh in one step.
        var last = last
        let end = min(points.count, Self.run)
        let taken = withUnsafeTemporaryAllocation(of: Ink.Vertex.self, capacity: 2 * Self.run) { corners in
            var (taken, count) = (0, 0)
            while taken < end {
                let point = points[taken]
                let (dx, dy) = (point.x - last.x, point.y - last.y)
                let length = (dx * dx + dy * dy).squareRoot()
                guard length > 0 else {
                    last.width = max(last.width, point.width)
                    taken += 1
                    continue
                }
                let next = (x: -dy / length, y: dx / length)
                let cosine = normal.x * next.x + normal.y * next.y
                guard cosine > Self.sharpest else { break }
                let scale = last.width / 2 / (2 * (1 + cosine)).squareRoot()
                let (x, y) = ((normal.x + next.x) * scale, (normal.y + next.y) * scale)
                corners.initializeElement(at: count, to: Ink.Vertex(x: last.x + x, y: last.y + y))
                corners.initializeElement(at: count + 1, to: Ink.Vertex(x: last.x - x, y: last.y - y))
                (normal, last) = (next, point)
                (taken, count) = (taken + 1, count + 2)
            }
            mesh.append(contentsOf: UnsafeBufferPointer(rebasing: corners[..<count]))
            return taken
        }
        (self.normal, self.last) = (normal, last)
        return taken
    }

    /// Processes a point that the fast path cannot: one that begins the strip, gives it its first direction, or turns it sharply.
    private mutating func turn(to point: Ink.Point, into mesh: inout [Ink.Vertex]) {
        guard !isEmpty else {
            isEmpty = false
            last = point
            fan(from: (point.width / 2, 0), by: 2 * Double.pi, steps: 2 * arcSteps, into: &mesh)
            return
        }
        let (dx, dy) = (point.x - last.x, point.y - last.y)
        let length = (dx * dx + dy * dy).squareRoot()
        guard length > 0 else {
            last.width = max(last.width, point.width)
            return
        }
        let next = (x: -dy / length, y: dx / length)
        if let normal {
            let cosine = normal.x * next.x + normal.y * next.y
            sides(normal, into: &mesh)
            join(normal, next, cosine, into: &mesh)
        }
        sides(next, into: &mesh)
        normal = next
        last = point
    }

    /// Adds the remaining vertices of the last point, and the end cap.
    mutating func finish(into mesh: inout [Ink.Vertex]) {
        defer { begin() }
        guard let normal else { return }
        sides(normal, into: &mesh)
        let half = last.width / 2
        fan(from: (-normal.x * half, -normal.y * half), by: Double.pi, steps: arcSteps, into: &mesh)
    }

    /// Adds the two vertices of the last point, half a width to either side of the path.
    private func sides(_ normal: (x: Double, y: Double), into mesh: inout [Ink.Vertex]) {
        let half = last.width / 2
        mesh.append(Ink.Vertex(x: last.x + normal.x * half, y: last.y + normal.y * half))
        mesh.append(Ink.Vertex(x: last.x - normal.x * half, y: last.y - normal.y * half))
    }

    /// Adds the fan of a round join around the last point, on the outer side of the turn. `before` and `after` are the normals of
    /// the two segments.
    private func join(
        _ before: (x: Double, y: Double), _ after: (x: Double, y: Double), _ cosine: Double,
        into mesh: inout [Ink.Vertex]
    ) {
        let turnsLeft = before.x * after.y - before.y * after.x > 0
        let half = turnsLeft ? -last.width / 2 : last.width / 2
        let angle = acos(min(max(cosine, -1), 1))
        let steps = max(Int((angle / Double.pi * Double(arcSteps)).rounded(.up)), 1)
        fan(from: (before.x * half, before.y * half), by: turnsLeft ? angle : -angle, steps: steps, into: &mesh)
    }

    /// Adds a fan around the last point.
    private func fan(
        from spoke: (x: Double, y: Double), by angle: Double, steps: Int, into mesh: inout [Ink.Vertex]
    ) {
        for step in 0...steps {
            let turn = angle * Double(step) / Double(steps)
            let (c, s) = (cos(turn), sin(turn))
            mesh.append(Ink.Vertex(x: last.x, y: last.y))
            mesh.append(Ink.Vertex(x: last.x + spoke.x * c - spoke.y * s, y: last.y + spoke.x * s + spoke.y * c))
        }
    }
}
