import Pipeline
import Stages

/// The three-dimensional content of a frame, for `foxglove.SceneUpdate`. x points right, y up, and z toward the viewer.
///
/// A scene is rebuilt for every frame and keeps only the strokes in progress. This is necessary for seeking: a viewer that jumps
/// into the middle of a recording gets only the last scene before that time.
package struct Scene: Sendable {
    /// A point of the scene.
    struct Place: Hashable, Sendable {
        var x, y, z: Double
    }

    /// A line whose color can vary along its points.
    struct Line: Sendable {
        /// How the points are joined. The raw values are Foxglove's.
        enum Form: Int64, Sendable {
            /// Each point is joined to the next.
            case strip = 0
            /// The first point is joined to the second, the third to the fourth.
            case pairs = 2
        }

        let form: Form
        /// The thickness in the unit of the points; `nil` for a thickness on the screen that does not depend on the distance.
        var thickness: Double?
        var places: [Place] = []
        /// The colors of the points, one for each.
        var colors: [Picture.Color] = []
    }

    /// A ball.
    struct Ball: Sendable {
        let center: Place
        let diameter: Double
        let color: Picture.Color
    }

    /// A text at a point.
    struct Words: Sendable {
        let text: String
        let place: Place
    }

    /// The maximum number of points shown of a stroke in progress. Every piece shows the whole stroke so far, so without a limit
    /// the size of a recording would grow with the square of the stroke's length.
    static let mostPoints = 256

    /// The colors of the beginning and the end of a stroke.
    private static let (beginning, end) = (palette.mark, palette.parts[4])
    private static let palette = Palette(.light)

    /// The stroke in progress of a stream, or the last one if it is over.
    private struct Open: Sendable {
        var points: [Ink.Point] = []
        var isOver = false
    }

    private(set) var lines: [Line] = []
    private(set) var balls: [Ball] = []
    private(set) var words: [Words] = []
    private var open = RecentStreams<Open>(capacity: 1000)
    private let yGrows: VerticalDirection

    /// Creates an empty scene.
    ///
    /// - Parameter yGrows: The direction in which y grows in the frames.
    package init(yGrows: VerticalDirection = .down) { self.yGrows = yGrows }

    /// Removes everything except the strokes in progress.
    mutating func clear() {
        lines.removeAll(keepingCapacity: true)
        balls.removeAll(keepingCapacity: true)
        words.removeAll(keepingCapacity: true)
    }

    // MARK: - Strokes

    /// Adds a stroke. Its color changes from beginning to end, which shows the direction of drawing.
    ///
    /// - Parameter thickness: The thickness in the unit of the points; `nil` if the stroke has none of its own.
    mutating func addStroke(_ places: some RandomAccessCollection<Place>, thickness: Double? = nil) {
        guard !places.isEmpty else { return }
        var line = Line(form: .strip, thickness: thickness, places: Array(places))
        let last = Double(max(places.count - 1, 1))
        line.colors = line.places.indices.map { Self.beginning.mixed(with: Self.end, Double($0) / last) }
        lines.append(line)
    }

    /// Adds a name at a point, unless it is empty.
    mutating func add(_ name: String?, at place: Place?) {
        if let name, !name.isEmpty, let place { words.append(Words(text: name, place: place)) }
    }

    /// Adds a piece to the stroke in progress of a stream.
    ///
    /// - Returns: The points of the stroke so far. A long stroke has fewer points in its older part. The stroke is kept until the
    ///   next one begins.
    /// - Complexity: O(points returned), amortized.
    mutating func extend(_ stream: StreamID, _ phase: Ink.Phase, by points: [Ink.Point]) -> [Ink.Point] {
        if phase == .cancel {
            open.remove(stream)
            return []
        }
        var stroke = open.remove(stream) ?? Open()
        if phase == .begin || stroke.isOver { stroke = Open() }
        stroke.points += points
        while stroke.points.count > Self.mostPoints {
            // Removes every second point, but keeps the first one, and the newest one, which shows where the pen is.
            let last = stroke.points.count - 1
            stroke.points = stroke.points.indices.filter { (last - $0) % 2 == 0 || $0 == 0 }.map { stroke.points[$0] }
        }
        stroke.isOver = phase == .end
        open.update(stream, stroke)
        return stroke.points
    }

    // MARK: - Landmarks

    /// Adds landmarks: lines between connected ones, and a ball for each.
    ///
    /// - Parameter name: The text at the first landmark.
    /// - Throws: A frame error if the landmarks cannot be drawn.
    mutating func add(_ landmarks: Landmarks, named name: String?) throws {
        try landmarks.check()
        let places = landmarks.points.map { place($0.x, $0.y, $0.z) }
        let side = Skeleton.part(ofHand: landmarks.handedness)
        func color(_ part: Int, _ points: Int...) -> Picture.Color {
            var color = Self.palette.parts[(side ?? part) % Self.palette.parts.count]
            color.alpha = Skeleton.opacity(of: points, landmarks.confidences)
            return color
        }
        var bones = Line(form: .pairs)
        for bone in Skeleton.bones(of: landmarks.topology) where max(bone.from, bone.to) < places.count {
            bones.places += [places[bone.from], places[bone.to]]
            bones.colors += Array(repeating: color(bone.part, bone.from, bone.to), count: 2)
        }
        if !bones.places.isEmpty { lines.append(bones) }
        let diameter = Self.jointShare * Self.extent(of: places)
        for (number, part) in Skeleton.parts(of: landmarks.topology, count: places.count).enumerated() {
            balls.append(Ball(center: places[number], diameter: diameter, color: color(part, number)))
        }
        add(name, at: places.first)
    }

    /// The diameter of a joint, as a share of the extent of all landmarks.
    private static let jointShare = 0.03

    /// Returns the longer side of the bounding rectangle of some points, or 1 if they all coincide.
    private static func extent(of places: [Place]) -> Double {
        func span(_ numbers: [Double]) -> Double { (numbers.max() ?? 0) - (numbers.min() ?? 0) }
        let extent = max(span(places.map(\.x)), span(places.map(\.y)))
        return extent > 0 ? extent : 1
    }

    /// Converts coordinates of a frame to a point of the scene. Inverts y if it grows downward in frames. Inverts z, which is
    /// smaller near the camera in a frame, but larger near the viewer in a scene.
    func place(_ x: Double, _ y: Double, _ z: Double = 0) -> Place {
        // Subtracts from 0 instead of negating, because the negation of 0 is a negative zero.
        Place(x: x, y: yGrows == .down ? 0 - y : y, z: 0 - z)
    }
}

extension Picture.Color {
    /// Returns a color between this one (at 0) and another (at 1).
    fileprivate func mixed(with other: Self, _ share: Double) -> Self {
        var color = self
        color.red += (other.red - red) * share
        color.green += (other.green - green) * share
        color.blue += (other.blue - blue) * share
        return color
    }
}
