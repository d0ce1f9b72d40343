import Pipeline

/// Smoothed strokes with their widths, and the triangles that fill them.
///
/// A frame contains whole strokes, or a piece of a stroke that is still being drawn. Concatenating the pieces of a stroke, from
/// `begin` to `end`, gives the stroke.
public struct Ink: Payload, Hashable {
    public static let kind: Kind = "ink"
    public static let continuity = Continuity.continues

    /// The part of a stroke that a frame contains.
    public enum Phase: String, Sendable, CaseIterable {
        /// One or more complete strokes.
        case whole
        /// The first piece of a stroke.
        case begin
        /// A further piece.
        case move
        /// The last piece.
        case end
        /// The stroke is canceled: discard what was drawn of it.
        case cancel
    }

    /// A point on the center line.
    ///
    /// Its layout is four consecutive doubles, so that points can be written without conversion.
    public struct Point: Hashable, Sendable {
        /// The horizontal position, in the unit of the source.
        public var x: Double

        /// The vertical position, in the unit of the source.
        public var y: Double

        /// The time after the ink's `start`, in microseconds; 0 if times are unknown.
        public var t: Double

        /// The width of the stroke at this point, in the unit of the source.
        public var width: Double

        /// Creates a point.
        @inlinable
        public init(x: Double, y: Double, t: Double = 0, width: Double = 0) {
            self.x = x
            self.y = y
            self.t = t
            self.width = width
        }
    }

    /// A vertex of a triangle.
    public struct Vertex: Hashable, Sendable {
        /// The horizontal position, in the unit of the source.
        public var x: Double

        /// The vertical position, in the unit of the source.
        public var y: Double

        /// Creates a vertex.
        @inlinable
        public init(x: Double, y: Double) {
            self.x = x
            self.y = y
        }
    }

    /// The part of a stroke that the frame contains.
    public var phase: Phase

    /// The number of the stroke, assigned by the sender; for whole strokes, the number of the first stroke.
    public var stroke: Int

    /// The center lines of all strokes, concatenated.
    public var points: [Point]

    /// The number of points of each stroke; empty if there is at most one stroke. The sum is `points.count`.
    public var counts: [Int]

    /// The triangle strips that cover the strokes, one per stroke, concatenated. Every vertex from the third on forms a triangle
    /// with the two before it. Empty before tessellation.
    public var mesh: [Vertex]

    /// The number of vertices of each stroke's strip; empty if there is at most one strip.
    public var meshCounts: [Int]

    /// The time from which the points' `t` are measured.
    public var start: Timestamp

    /// Whether points have times.
    public var isTimed: Bool

    /// The class that the strokes are meant to be, if known.
    public var label: String?

    /// The person who drew the strokes, if known.
    public var subject: String?

    public var beginsAnew: Bool { phase == .begin || phase == .whole }

    /// Creates ink.
    public init(
        phase: Phase = .whole, stroke: Int = 0, points: [Point], counts: [Int] = [], mesh: [Vertex] = [],
        meshCounts: [Int] = [], start: Timestamp = .zero, isTimed: Bool = false, label: String? = nil,
        subject: String? = nil
    ) {
        self.phase = phase
        self.stroke = stroke
        self.points = points
        self.counts = counts
        self.mesh = mesh
        self.meshCounts = meshCounts
        self.start = start
        self.isTimed = isTimed
        self.label = label
        self.subject = subject
    }

    /// The range of points of every stroke, in order. Counts that do not add up are clamped to the existing points. O(strokes).
    public var strokeRanges: [Range<Int>] {
        guard !counts.isEmpty else { return [0..<points.count] }
        var begin = 0
        return counts.map { count in
            let end = begin + min(max(count, 0), points.count - begin)
            defer { begin = end }
            return begin..<end
        }
    }
}

extension Ink {
    /// Checks that stages can process the ink. O(points).
    ///
    /// - Throws: A frame error: `ink.not_finite` for a number that is not finite or too large and for a negative width,
    ///   `ink.counts` for counts that do not add up.
    package func check() throws {
        for (index, point) in points.enumerated() {
            // Comparisons with NaN are false, so they fail the check.
            let most = Stroke.largestMagnitude
            guard abs(point.x) <= most, abs(point.y) <= most, abs(point.t) <= most, (0...most).contains(point.width)
            else {
                throw PipelineError.frame(
                    "ink.not_finite",
                    "point \(index) is not finite, too large or has a negative width: x \(point.x), y \(point.y), "
                        + "t \(point.t), width \(point.width)")
            }
        }
        if let defect = countsDefect { throw PipelineError.frame("ink.counts", defect) }
    }

    /// What is wrong with the counts; `nil` if they add up.
    package var countsDefect: String? {
        func sums(_ counts: [Int], to total: Int) -> Bool {
            var left = total
            for count in counts {
                guard count >= 0, count <= left else { return false }
                left -= count
            }
            return counts.isEmpty || left == 0
        }
        guard sums(counts, to: points.count) else {
            return "the counts of the strokes do not add up to \(points.count), the number of points"
        }
        guard sums(meshCounts, to: mesh.count) else {
            return "the counts of the strips do not add up to \(mesh.count), the number of corners"
        }
        return nil
    }

    /// Copies everything but the points, the mesh, and their counts.
    mutating func takeMetadata(of other: Ink) {
        phase = other.phase
        stroke = other.stroke
        start = other.start
        isTimed = other.isTimed
        label = other.label
        subject = other.subject
    }

    /// Removes the points, the mesh and the counts, and keeps their memory unless it is huge.
    mutating func clear() {
        points.removeAll(keepingCapacity: points.count < 65_536)
        counts.removeAll(keepingCapacity: true)
        mesh.removeAll(keepingCapacity: mesh.count < 262_144)
        meshCounts.removeAll(keepingCapacity: true)
    }
}
