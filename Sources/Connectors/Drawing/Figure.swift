import Pipeline
import Stages

/// What one frame, or one stroke, shows: lines, ink, skeletons and cells in the coordinates of the data.
struct Figure: Sendable {
    /// A part of it.
    enum Part: Sendable {
        /// A line straight through the samples.
        case line([Picture.Place])
        /// A line of varying width.
        case ink([Ink.Point])
        /// Landmarks, joined as their topology says.
        case skeleton([Picture.Place], Skeletal)
        /// Filled polygons inside a frame.
        case cells([[Picture.Place]], within: [Picture.Place])
    }

    /// What is known of landmarks beside their places.
    struct Skeletal: Sendable {
        let topology: String
        /// How sure the detector is of each; empty when it does not say.
        let confidences: [Double]
        /// What it is: the handedness of a hand.
        var name: String?
    }

    /// What is drawn, first to last.
    var parts: [Part] = []

    /// What it is.
    var label: String?

    /// Whether the label is of the data, and not only the stream's name.
    var isNamed = false

    /// What else there is to say, in small letters.
    var note: String?

    /// How many frames it was made of.
    var frames = 1

    /// Its parts that have a name of their own, each as a figure with that name.
    var namedParts: [Figure] {
        parts.compactMap { part in
            guard case .skeleton(_, let about) = part, let name = about.name, !name.isEmpty else { return nil }
            return Figure(parts: [part], label: name, isNamed: true)
        }
    }

    /// How many points it has.
    var size: Int {
        parts.reduce(0) { sum, part in
            switch part {
            case .line(let places), .skeleton(let places, _): sum + places.count
            case .ink(let points): sum + points.count
            case .cells(let cells, let frame): cells.reduce(sum + frame.count) { $0 + $1.count }
            }
        }
    }
}

/// The smallest rectangle around figures.
struct FigureBounds {
    private(set) var (left, top, right, bottom) = (
        Double.infinity, Double.infinity, -Double.infinity, -Double.infinity
    )
    /// The greatest width of ink.
    private(set) var widest = 0.0

    /// Whether there is nothing in it.
    var isEmpty: Bool { left > right }

    /// Takes in a figure. O(points).
    mutating func add(_ figure: Figure) {
        for part in figure.parts {
            switch part {
            case .line(let places), .skeleton(let places, _): for place in places { add(place.x, place.y, 0) }
            case .ink(let points):
                for point in points {
                    add(point.x, point.y, point.width / 2)
                    widest = max(widest, point.width)
                }
            case .cells(_, let frame): for place in frame { add(place.x, place.y, 0) }
            }
        }
    }

    private mutating func add(_ x: Double, _ y: Double, _ margin: Double) {
        (left, right) = (min(left, x - margin), max(right, x + margin))
        (top, bottom) = (min(top, y - margin), max(bottom, y + margin))
    }
}

/// How coordinates of figures become places in a rectangle of a picture: as large as fits, centered, proportions kept.
struct FigurePlacement {
    private let scale: Double
    /// The coordinate that lies in the corner, and that corner. Far from zero, a product with the scale would be rounded to more than
    /// the rectangle is wide: the corner is taken away before.
    private let (origin, corner): (Picture.Place, Picture.Place)

    /// The widest that ink is drawn, as a share of the rectangle: a tap does not fill it.
    private static let widestShare = 0.06

    /// Fits what lies in bounds into a rectangle.
    init(_ bounds: FigureBounds, into corner: Picture.Place, width: Double, height: Double) {
        guard !bounds.isEmpty else {
            (scale, origin, self.corner) = (1, Picture.Place(x: 0, y: 0), Picture.Place(x: 0, y: 0))
            return
        }
        let (spanX, spanY) = (bounds.right - bounds.left, bounds.bottom - bounds.top)
        // A point, or what is as small as one, is drawn in the middle.
        var fit = min(spanX > 1e-150 ? width / spanX : .infinity, spanY > 1e-150 ? height / spanY : .infinity)
        if bounds.widest > 1e-150 { fit = min(fit, Self.widestShare * min(width, height) / bounds.widest) }
        scale = fit.isFinite ? fit : 1
        origin = Picture.Place(x: bounds.left, y: bounds.top)
        self.corner = Picture.Place(
            x: corner.x + (width - spanX * scale) / 2, y: corner.y + (height - spanY * scale) / 2)
    }

    /// The place of a coordinate.
    func place(_ x: Double, _ y: Double) -> Picture.Place {
        Picture.Place(x: corner.x + (x - origin.x) * scale, y: corner.y + (y - origin.y) * scale)
    }

    /// The marks of a figure.
    ///
    /// - Parameter thickness: How wide lines are that have no width of their own, in pixels.
    func marks(of figure: Figure, _ palette: Palette, thickness: Double) -> [Picture.Mark] {
        var marks: [Picture.Mark] = []
        for part in figure.parts {
            switch part {
            case .line(let places) where !places.isEmpty:
                let line = places.map { place($0.x, $0.y) }
                marks.append(.line(line, width: thickness, palette.ink))
                marks.append(.fill([.circle(line[0], radius: 1.6 * thickness)], palette.mark))
            case .line: break
            case .ink(let points):
                let dots = points.map { point in
                    let place = place(point.x, point.y)
                    // Ink finer than half a pixel could not be seen.
                    return InkOutline.Dot(x: place.x, y: place.y, radius: max(point.width * scale / 2, 0.25))
                }
                marks.append(.fill(InkOutline.contours(dots), palette.ink))
            case .skeleton(let places, let about):
                marks += skeleton(places.map { place($0.x, $0.y) }, about, palette, thickness: thickness)
            case .cells(let cells, let frame):
                let corners = (frame + frame.prefix(1)).map { place($0.x, $0.y) }
                marks.append(.line(corners, width: thickness / 2, palette.note))
                let contours = cells.map { cell in Picture.Contour.polygon(cell.map { place($0.x, $0.y) }) }
                if !contours.isEmpty { marks.append(.fill(contours, palette.ink)) }
            }
        }
        return marks
    }

    private func skeleton(
        _ places: [Picture.Place], _ about: Figure.Skeletal, _ palette: Palette, thickness: Double
    ) -> [Picture.Mark] {
        func color(_ part: Int, _ landmarks: Int...) -> Picture.Color {
            var color = palette.parts[part % palette.parts.count]
            color.alpha = Skeleton.opacity(of: landmarks, about.confidences)
            return color
        }
        var marks: [Picture.Mark] = []
        let bones = Skeleton.bones(of: about.topology)
        for bone in bones where max(bone.from, bone.to) < places.count {
            marks.append(
                .line([places[bone.from], places[bone.to]], width: thickness, color(bone.part, bone.from, bone.to)))
        }
        let parts = Skeleton.parts(of: about.topology, count: places.count)
        for (i, place) in places.enumerated() {
            let radius = bones.isEmpty ? 0.7 * thickness : 1.25 * thickness
            marks.append(.fill([.circle(place, radius: radius + 0.35 * thickness)], palette.paper))
            marks.append(.fill([.circle(place, radius: radius)], color(parts[i], i)))
        }
        return marks
    }
}
