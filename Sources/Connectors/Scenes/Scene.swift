import Pipeline
import Stages

/// What a frame shows in three dimensions, for `foxglove.SceneUpdate`: x to the right, y up, and z toward who looks.
///
/// It is made again for every frame, and remembers only the strokes that are being drawn: whoever goes to a time in the middle of a
/// recording sees the last scene before it, and nothing of those before.
package struct Scene: Sendable {
    /// A place in it.
    struct Place: Hashable, Sendable {
        var x, y, z: Double
    }

    /// A line whose color can change from place to place.
    struct Line: Sendable {
        /// How places are joined; the number is Foxglove's.
        enum Form: Int64, Sendable {
            /// Each with the next.
            case strip = 0
            /// The first with the second, the third with the fourth.
            case pairs = 2
        }

        let form: Form
        /// In the unit of the places; `nil` for a line that looks equally thick from everywhere.
        var thickness: Double?
        var places: [Place] = []
        /// As many as places.
        var colors: [Picture.Color] = []
    }

    /// A ball.
    struct Ball: Sendable {
        let center: Place
        let diameter: Double
        let color: Picture.Color
    }

    /// Words at a place.
    struct Words: Sendable {
        let text: String
        let place: Place
    }

    /// How many points of a stroke that is being drawn are shown at most. Every piece shows all of the stroke so far: without a
    /// limit the size of a recording would grow with the square of a stroke's length.
    static let mostPoints = 256

    /// The colors of the beginning and the end of a stroke.
    private static let (beginning, end) = (palette.mark, palette.parts[4])
    private static let palette = Palette(.light)

    private struct Open: Sendable {
        var points: [Ink.Point] = []
        var isOver = false
    }

    private(set) var lines: [Line] = []
    private(set) var balls: [Ball] = []
    private(set) var words: [Words] = []
    private var open = RecentStreams<Open>(capacity: 1000)
    private let yGrows: VerticalDirection

    /// An empty scene.
    ///
    /// - Parameter yGrows: Where the y of the frames grows to.
    package init(yGrows: VerticalDirection = .down) { self.yGrows = yGrows }

    /// Forgets all but the strokes that are being drawn.
    mutating func clear() {
        lines.removeAll(keepingCapacity: true)
        balls.removeAll(keepingCapacity: true)
        words.removeAll(keepingCapacity: true)
    }

    // MARK: - Strokes

    /// Adds a stroke, whose color says which way it was drawn.
    ///
    /// - Parameter thickness: In the unit of the places; `nil` where it has none of its own.
    mutating func addStroke(_ places: some RandomAccessCollection<Place>, thickness: Double? = nil) {
        guard !places.isEmpty else { return }
        var line = Line(form: .strip, thickness: thickness, places: Array(places))
        let last = Double(max(places.count - 1, 1))
        line.colors = line.places.indices.map { Self.beginning.mixed(with: Self.end, Double($0) / last) }
        lines.append(line)
    }

    /// Adds a name at a place.
    mutating func add(_ name: String?, at place: Place?) {
        if let name, !name.isEmpty, let place { words.append(Words(text: name, place: place)) }
    }

    /// Adds a piece of the stroke that a stream is drawing.
    ///
    /// - Returns: What there is of the stroke: all of it, or, of a long one, fewer points of its older part. The stroke stays until the next
    ///   begins. O(points returned), amortised.
    mutating func extend(_ stream: StreamID, _ phase: Ink.Phase, by points: [Ink.Point]) -> [Ink.Point] {
        if phase == .cancel {
            open.remove(stream)
            return []
        }
        var stroke = open.remove(stream) ?? Open()
        if phase == .begin || stroke.isOver { stroke = Open() }
        stroke.points += points
        while stroke.points.count > Self.mostPoints {
            // The newest stays: it is where the pen is.
            let last = stroke.points.count - 1
            stroke.points = stroke.points.indices.filter { (last - $0) % 2 == 0 || $0 == 0 }.map { stroke.points[$0] }
        }
        stroke.isOver = phase == .end
        open.update(stream, stroke)
        return stroke.points
    }

    // MARK: - Landmarks

    /// Adds landmarks: lines between those that belong together, and a ball for each.
    ///
    /// - Parameter name: What stands at the first of them.
    /// - Throws: A frame error for what cannot be drawn.
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

    /// How large a joint is, as a share of what it is part of.
    private static let jointShare = 0.03

    /// The longer side of the rectangle around places; 1 where they are all one.
    private static func extent(of places: [Place]) -> Double {
        func span(_ numbers: [Double]) -> Double { (numbers.max() ?? 0) - (numbers.min() ?? 0) }
        let extent = max(span(places.map(\.x)), span(places.map(\.y)))
        return extent > 0 ? extent : 1
    }

    /// Where a place of a frame is in the scene. Landmarks near the camera have the smaller z.
    func place(_ x: Double, _ y: Double, _ z: Double = 0) -> Place {
        // Not by a sign: a zero would become a negative one.
        Place(x: x, y: yGrows == .down ? 0 - y : y, z: 0 - z)
    }
}

extension Picture.Color {
    /// A color between this one and another: this at 0, the other at 1.
    fileprivate func mixed(with other: Self, _ share: Double) -> Self {
        var color = self
        color.red += (other.red - red) * share
        color.green += (other.green - green) * share
        color.blue += (other.blue - blue) * share
        return color
    }
}
