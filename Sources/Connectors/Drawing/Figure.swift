import Pipeline
import Stages

/// The visual form of one frame or one stroke: lines, ink, skeletons and cells in the coordinates of the data.
struct Figure: Sendable {
    /// A part of a figure.
    enum Part: Sendable {
        /// Straight lines from sample to sample.
        case line([Picture.Place])
        /// A line of varying width.
        case ink([Ink.Point])
        /// Landmarks, joined according to their topology.
        case skeleton([Picture.Place], SkeletonAttributes)
        /// Filled polygons inside a border.
        case cells([[Picture.Place]], within: [Picture.Place])
    }

    /// The properties of landmarks other than their positions.
    struct SkeletonAttributes: Sendable {
        let topology: String
        /// The detector's confidence in each landmark; empty if unknown.
        let confidences: [Double]
        /// The name of the part, such as the handedness of a hand.
        var name: String?
    }

    /// The parts, in drawing order.
    var parts: [Part] = []

    /// The name of the figure.
    var label: String?

    /// Whether the label comes from the data, and is not just the stream's name.
    var isNamed = false

    /// An additional remark, shown in small letters.
    var note: String?

    /// The number of frames that the figure consists of.
    var frames = 1

    /// The parts that have a name of their own, each as a figure with that name.
    var namedParts: [Figure] {
        parts.compactMap { part in
            guard case .skeleton(_, let about) = part, let name = about.name, !name.isEmpty else { return nil }
            return Figure(parts: [part], label: name, isNamed: true)
        }
    }

    /// The number of points in the figure.
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

/// The bounding box of figures, including the width of their ink.
struct FigureBounds {
    private(set) var (left, top, right, bottom) = (
        Double.infinity, Double.infinity, -Double.infinity, -Double.infinity
    )
    /// The greatest width of ink.
    private(set) var widest = 0.0

    /// Whether no points were added.
    var isEmpty: Bool { left > right }

    /// Extends the rectangle to contain a figure. O(points).
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

/// A mapping from the coordinates of figures to a rectangle of a picture. Figures are scaled to the largest size that fits, keep
/// their proportions, and are centered.
struct FigurePlacement {
    private let scale: Double
    /// The upper left corner of the bounds: `origin` in the coordinates of the figures, `corner` in the picture. `origin` is
    /// subtracted before scaling. Otherwise, coordinates far from zero would cause rounding errors larger than the rectangle.
    private let (origin, corner): (Picture.Place, Picture.Place)

    /// The largest width of ink, as a share of the rectangle's shorter side. Without this limit, a tap would fill the rectangle.
    private static let widestShare = 0.06

    /// Creates a placement that fits the bounds of figures into a rectangle.
    init(_ bounds: FigureBounds, into corner: Picture.Place, width: Double, height: Double) {
        guard !bounds.isEmpty else {
            (scale, origin, self.corner) = (1, Picture.Place(x: 0, y: 0), Picture.Place(x: 0, y: 0))
            return
        }
        let (spanX, spanY) = (bounds.right - bounds.left, bounds.bottom - bounds.top)
        // A single point, or a figure that is hardly larger, is not scaled up. It is drawn in the center.
        var fit = min(spanX > 1e-150 ? width / spanX : .infinity, spanY > 1e-150 ? height / spanY : .infinity)
        if bounds.widest > 1e-150 { fit = min(fit, Self.widestShare * min(width, height) / bounds.widest) }
        scale = fit.isFinite ? fit : 1
        origin = Picture.Place(x: bounds.left, y: bounds.top)
        self.corner = Picture.Place(
            x: corner.x + (width - spanX * scale) / 2, y: corner.y + (height - spanY * scale) / 2)
    }

    /// Maps a point of a figure to its position in the picture.
    func place(_ x: Double, _ y: Double) -> Picture.Place {
        Picture.Place(x: corner.x + (x - origin.x) * scale, y: corner.y + (y - origin.y) * scale)
    }

    /// Returns the marks that represent a figure in a picture.
    ///
    /// - Parameter thickness: The width of lines without a width of their own, in pixels.
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
                    // Ink thinner than half a pixel would be invisible.
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
        _ places: [Picture.Place], _ about: Figure.SkeletonAttributes, _ palette: Palette, thickness: Double
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
