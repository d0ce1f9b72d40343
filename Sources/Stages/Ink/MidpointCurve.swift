import Pipeline

/// A curve of quadratic Bézier pieces through the midpoints between samples, resampled at even steps.
///
/// A piece leads from the midpoint of one segment between two samples to the midpoint of the next, with the common sample as its
/// control point. Neighboring pieces share their tangent, so the curve has no corners (Apple, WWDC 2012, session 233, "Building
/// Advanced Gesture Recognizers"; Harwig, "Capture a Signature on iOS"). The first piece leads straight from the first sample to
/// the first midpoint, and the last piece straight from the last midpoint to the last sample. Time follows the same polynomial as
/// the position. Complexity: O(length/step + 16) per sample.
struct MidpointCurve: Sendable {
    /// The maximum number of points that one sample may cause.
    static let mostPoints = 65_536
    /// The maximum number of points of one frame.
    static let mostPointsOfFrame = 4_194_304

    private let step: Double
    private let width: Double
    /// The previous sample: the next control point.
    private var control = Ink.Point(x: 0, y: 0)
    /// The current end of the curve.
    private var tip = Ink.Point(x: 0, y: 0)
    /// The remaining distance from the tip to the next point.
    private var rest = 0.0
    /// The number of samples at different positions so far, up to 2.
    private var samples = 0
    private var lastPlaced = Ink.Point(x: 0, y: 0)

    /// Creates a curve with a point of the given width every `step` units.
    init(step: Double, width: Double) {
        self.step = step
        self.width = width
    }

    /// Starts a new curve.
    mutating func begin() { samples = 0 }

    /// Appends a sample, and adds the points of the part of the curve that is now final to `points`.
    ///
    /// - Throws: A frame error (`bezier.too_many`) if the sample would add more than ``mostPoints`` points, or if `points` would
    ///   have more than ``mostPointsOfFrame``.
    mutating func append(_ sample: Sample, into points: inout [Ink.Point]) throws(PipelineError) {
        let next = Ink.Point(x: sample.x, y: sample.y, t: sample.t, width: width)
        if samples == 0 {
            samples = 1
            (control, tip, lastPlaced) = (next, next, next)
            rest = step
            points.append(next)
            return
        }
        // Ignore a sample at the same position: a second control point there would make a corner. The time at rest counts toward
        // the path to the next sample.
        guard next.x != control.x || next.y != control.y else { return }
        let middle = control.middle(to: next)
        if samples == 1 {
            try walk(over: tip.middle(to: middle), to: middle, into: &points)
            samples = 2
        } else {
            try walk(over: control, to: middle, into: &points)
        }
        control = next
    }

    /// Adds the points of the path to the last sample, and the last sample itself.
    mutating func finish(into points: inout [Ink.Point]) throws(PipelineError) {
        defer { samples = 0 }
        guard samples == 2 else { return }
        try walk(over: tip.middle(to: control), to: control, into: &points)
        if lastPlaced.x != control.x || lastPlaced.y != control.y { points.append(control) }
    }

    /// Walks along the piece from the tip to `end`, and adds a point every `step`.
    private mutating func walk(
        over control: Ink.Point, to end: Ink.Point, into points: inout [Ink.Point]
    ) throws(PipelineError) {
        let begin = tip
        // The path over the control point is an upper bound of the length of the piece.
        let steps = (begin.distance(to: control) + control.distance(to: end)) / step
        guard steps < Double(Self.mostPoints) else {
            throw .frame(
                "bezier.too_many", "a point every \(step) units would be more than \(Self.mostPoints) for one sample",
                help: "choose a larger spacing")
        }
        guard Double(points.count) + steps < Double(Self.mostPointsOfFrame) else {
            throw .frame(
                "bezier.too_many",
                "a point every \(step) units would be more than \(Self.mostPointsOfFrame) for one frame",
                help: "choose a larger spacing")
        }
        // Compute positions relative to the tip. Far from the origin, absolute positions would be rounded by more than a step.
        let piece = QuadraticPiece(from: begin, over: control, to: end)
        // Use so many chords that every chord next to a turn is shorter than a step, even where the curve turns back on itself.
        let chords = min(16 + Int(steps / 4), 1024)
        let share = 1 / Double(chords)
        var (before, u) = (piece.offset(at: 0), 0.0)
        for chord in 1...chords {
            let next = Double(chord) * share
            let place = piece.offset(at: next)
            let (dx, dy) = (place.x - before.x, place.y - before.y)
            let length = (dx * dx + dy * dy).squareRoot()
            if length < rest {
                rest -= length
            } else {
                let way = ChordParameter(length, piece.speed(at: u) * share, piece.speed(at: next) * share)
                var done = rest
                repeat {
                    lastPlaced = begin.moved(by: piece.offset(at: u + share * way.share(at: done)))
                    points.append(lastPlaced)
                    done += step
                } while done <= length
                rest = done - length
            }
            (before, u) = (place, next)
        }
        tip = end
    }
}

extension Ink.Point {
    /// Returns the midpoint between two points, with the width of the first.
    func middle(to other: Ink.Point) -> Ink.Point {
        Ink.Point(x: (x + other.x) / 2, y: (y + other.y) / 2, t: (t + other.t) / 2, width: width)
    }

    /// Returns the distance to another point.
    func distance(to other: Ink.Point) -> Double {
        let (dx, dy) = (other.x - x, other.y - y)
        return (dx * dx + dy * dy).squareRoot()
    }

    /// Returns the point moved by an offset in position and time.
    fileprivate func moved(by offset: QuadraticPiece.Offset) -> Ink.Point {
        Ink.Point(x: x + offset.x, y: y + offset.y, t: t + offset.t, width: width)
    }
}

/// A quadratic Bézier piece, relative to its beginning.
private struct QuadraticPiece {
    typealias Offset = (x: Double, y: Double, t: Double)

    private let control: Offset
    private let end: Offset

    init(from begin: Ink.Point, over control: Ink.Point, to end: Ink.Point) {
        self.control = (control.x - begin.x, control.y - begin.y, control.t - begin.t)
        self.end = (end.x - begin.x, end.y - begin.y, end.t - begin.t)
    }

    /// Returns the offset from the beginning at `u`, from 0 to 1.
    func offset(at u: Double) -> Offset {
        let (b, c) = (2 * u * (1 - u), u * u)
        return (b * control.x + c * end.x, b * control.y + c * end.y, b * control.t + c * end.t)
    }

    /// Returns the length of the derivative of the position with respect to `u`.
    func speed(at u: Double) -> Double {
        let (b, c) = (2 - 4 * u, 2 * u)
        let (x, y) = (b * control.x + c * end.x, b * control.y + c * end.y)
        return (x * x + y * y).squareRoot()
    }
}

/// The curve parameter as a function of the distance along a short chord: a cubic that matches the speed at both ends.
private struct ChordParameter {
    private let perLength, first, second, third: Double

    /// - Parameters:
    ///   - length: The length of the chord, not 0.
    ///   - begin: The length that the chord would have at the speed of its beginning.
    ///   - end: The length that the chord would have at the speed of its end.
    init(_ length: Double, _ begin: Double, _ end: Double) {
        // With slopes of at most 3 at both ends the cubic is monotonic (Fritsch and Carlson, 1980).
        let (a, b) = (min(length / begin, 3), min(length / end, 3))
        perLength = 1 / length
        (first, second, third) = (a, 3 - 2 * a - b, a + b - 2)
    }

    /// Returns the fraction of the chord's parameter range that is passed after a distance along the chord.
    func share(at done: Double) -> Double {
        let f = min(done * perLength, 1)
        return f * (first + f * (second + f * third))
    }
}
