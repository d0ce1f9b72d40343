import Pipeline

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Covers a stroke with one strip of triangles, piece by piece.
///
/// Two corners stand at every point, half a width to either side of the way. A sharp turn (over 20°) gets a round join, the
/// ends round caps; the first cap is a whole disc, which is there as soon as the pen is down. Around a center `c` a fan is the
/// corners c, a₀, c, a₁, c, a₂ …: every second triangle has no area, the others make the fan. All triangles lie within half a
/// width of the center line. O(1) a point.
struct TriangleStrip: Sendable {
    /// The cosine of the sharpest turn that needs no join: the corners there lack 1.5 % of the half width.
    private static let sharpest = 0.9397

    /// The most points that are taken at once: their corners take the 1,024 bytes that are had without an allocation.
    private static let run = 32

    private let arcSteps: Int
    private var last = Ink.Point(x: 0, y: 0)
    private var normal: (x: Double, y: Double)?
    private var isEmpty = true

    /// A strip with so many triangles a half circle.
    init(arcSteps: Int) { self.arcSteps = arcSteps }

    /// Starts over.
    mutating func begin() {
        isEmpty = true
        normal = nil
    }

    /// Takes the next points; the corners up to the last but one are added to `mesh`.
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

    /// Takes points as long as the way does not turn sharply, at most ``run``; how many. Nearly all of ink is such.
    private mutating func followSmooth(_ points: UnsafeBufferPointer<Ink.Point>, into mesh: inout [Ink.Vertex]) -> Int {
        guard var normal else { return 0 }
        // Copies that the compiler can keep in registers; the corners are added to the mesh at once.
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

    /// Takes a point that begins the strip, gives it its first direction, or turns it sharply.
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

    /// Adds what is missing to the last point, and the cap behind it.
    mutating func finish(into mesh: inout [Ink.Vertex]) {
        defer { begin() }
        guard let normal else { return }
        sides(normal, into: &mesh)
        let half = last.width / 2
        fan(from: (-normal.x * half, -normal.y * half), by: Double.pi, steps: arcSteps, into: &mesh)
    }

    private func sides(_ normal: (x: Double, y: Double), into mesh: inout [Ink.Vertex]) {
        let half = last.width / 2
        mesh.append(Ink.Vertex(x: last.x + normal.x * half, y: last.y + normal.y * half))
        mesh.append(Ink.Vertex(x: last.x - normal.x * half, y: last.y - normal.y * half))
    }

    /// A fan on the outer side of a turn, round the front of the pen.
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

    /// A fan around the last point.
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
