import Pipeline

/// Smoothed strokes with their widths, and what they are filled with.
///
/// A frame holds whole strokes, or a piece of one that is still being drawn: the pieces of a stroke, from `begin` to
/// `end`, one behind the other are the stroke.
public struct Ink: Payload, Hashable {
    public static let kind: Kind = "ink"
    public static let continuity = Continuity.continues

    /// What part of a stroke a frame holds.
    public enum Phase: String, Sendable, CaseIterable {
        /// All of one stroke or several.
        case whole
        /// The beginning of one.
        case begin
        /// What comes after the piece before.
        case move
        /// The last piece.
        case end
        /// What was drawn of the stroke does not count.
        case cancel
    }

    /// A place on the center line.
    ///
    /// Four doubles in a row, so that they can be written as they lie.
    public struct Point: Hashable, Sendable {
        /// Horizontal place, in the unit of the source.
        public var x: Double

        /// Vertical place, in the unit of the source.
        public var y: Double

        /// Microseconds after the ink's `start`; 0 when times are not known.
        public var t: Double

        /// How wide the stroke is here, in the unit of the source.
        public var width: Double

        /// Makes a place.
        @inlinable
        public init(x: Double, y: Double, t: Double = 0, width: Double = 0) {
            self.x = x
            self.y = y
            self.t = t
            self.width = width
        }
    }

    /// A corner of a triangle.
    public struct Vertex: Hashable, Sendable {
        /// Horizontal place, in the unit of the source.
        public var x: Double

        /// Vertical place, in the unit of the source.
        public var y: Double

        /// Makes a corner.
        @inlinable
        public init(x: Double, y: Double) {
            self.x = x
            self.y = y
        }
    }

    /// What part of a stroke it is.
    public var phase: Phase

    /// The number of the stroke, counted by the sender; of whole strokes that of the first.
    public var stroke: Int

    /// The center lines, stroke after stroke.
    public var points: [Point]

    /// How many points each stroke has; empty when there is one stroke or none. The sum is `points.count`.
    public var counts: [Int]

    /// Triangle strips that cover the strokes, one a stroke: every corner from the third on makes a triangle with the two
    /// before it. Empty before tessellation.
    public var mesh: [Vertex]

    /// How many corners the strip of each stroke has; empty when there is one strip or none.
    public var meshCounts: [Int]

    /// The time that the points' `t` count from.
    public var start: Timestamp

    /// Whether points have times.
    public var isTimed: Bool

    /// What the strokes are meant to be, if that is known.
    public var label: String?

    /// Who drew them, if that is known.
    public var subject: String?

    public var beginsAnew: Bool { phase == .begin || phase == .whole }

    /// Makes ink.
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

    /// The range of points of every stroke, in order. Counts that do not add up are cut to the points there are.
    /// O(strokes).
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
    /// Refuses what no stage can work on. O(points).
    ///
    /// - Throws: A frame error: `ink.not_finite` for a number that is not finite or too large and for a negative width,
    ///   `ink.counts` for counts that do not add up.
    package func check() throws {
        for (index, point) in points.enumerated() {
            // A comparison with a number that is none is false.
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

    /// What is wrong with the counts, if anything.
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
            return "the counts of the strokes do not add up to its \(points.count) points"
        }
        guard sums(meshCounts, to: mesh.count) else {
            return "the counts of the strips do not add up to its \(mesh.count) corners"
        }
        return nil
    }

    /// Takes over everything but the points, the mesh and their counts.
    mutating func takeMetadata(of other: Ink) {
        phase = other.phase
        stroke = other.stroke
        start = other.start
        isTimed = other.isTimed
        label = other.label
        subject = other.subject
    }

    /// Forgets points and mesh, and keeps their memory unless it is huge.
    mutating func clear() {
        points.removeAll(keepingCapacity: points.count < 65_536)
        counts.removeAll(keepingCapacity: true)
        mesh.removeAll(keepingCapacity: mesh.count < 262_144)
        meshCounts.removeAll(keepingCapacity: true)
    }
}
