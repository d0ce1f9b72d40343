import Pipeline

/// The curve that quadratic pieces make through the midpoints between samples, walked at even steps.
///
/// A piece leads from the middle of one line between two samples to the middle of the next, with the sample between as its
/// control point: neighbouring pieces share their tangent, so that the curve has no corners (Apple, WWDC 2012, session 233,
/// "Building Advanced Gesture Recognizers"; Harwig, "Capture a Signature on iOS"). A straight half piece leads from the first
/// sample and to the last. Time follows the same polynomial as the place. O(length/step + 16) a sample.
struct MidpointCurve: Sendable {
    /// The most points that one sample may cause.
    static let mostPoints = 65_536

    private let step: Double
    private let width: Double
    /// The sample before: the next control point.
    private var control = Ink.Point(x: 0, y: 0)
    /// Where the curve has come to.
    private var tip = Ink.Point(x: 0, y: 0)
    /// The way from the tip to the next point.
    private var rest = 0.0
    /// How many samples at different places there were, up to 2.
    private var samples = 0
    private var lastPlaced = Ink.Point(x: 0, y: 0)

    /// A curve with a point every `step` units, each of a width.
    init(step: Double, width: Double) {
        self.step = step
        self.width = width
    }

    /// Begins anew.
    mutating func begin() { samples = 0 }

    /// Takes a sample, and adds to `points` what is certain of the curve now.
    ///
    /// - Throws: A frame error when that would be more than ``mostPoints`` (`bezier.too_many`).
    mutating func append(_ sample: Sample, into points: inout [Ink.Point]) throws(PipelineError) {
        let next = Ink.Point(x: sample.x, y: sample.y, t: sample.t, width: width)
        if samples == 0 {
            samples = 1
            (control, tip, lastPlaced) = (next, next, next)
            rest = step
            points.append(next)
            return
        }
        // A pen at rest is no second control point: two at one place would make a corner. The time it rested counts for
        // the way to the next sample.
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

    /// Adds the way to the last sample, and that itself.
    mutating func finish(into points: inout [Ink.Point]) throws(PipelineError) {
        defer { samples = 0 }
        guard samples == 2 else { return }
        try walk(over: tip.middle(to: control), to: control, into: &points)
        if lastPlaced.x != control.x || lastPlaced.y != control.y { points.append(control) }
    }

    /// Walks along the piece from the tip to `end` and puts down a point every `step`.
    private mutating func walk(
        over control: Ink.Point, to end: Ink.Point, into points: inout [Ink.Point]
    ) throws(PipelineError) {
        let begin = tip
        // The curve is no longer than the way over its control point.
        let steps = (begin.distance(to: control) + control.distance(to: end)) / step
        guard steps < Double(Self.mostPoints) else {
            throw .frame(
                "bezier.too_many", "a point every \(step) units would be more than \(Self.mostPoints) for one sample",
                help: "choose a larger spacing")
        }
        // Lengths are measured from the tip: far from zero, places would be rounded to more than a step.
        let piece = QuadraticPiece(from: begin, over: control, to: end)
        // Along short chords the way is as good as even.
        let chords = min(16 + Int(steps), 1024)
        var (before, u) = (piece.offset(at: 0), 0.0)
        for chord in 1...chords {
            let next = Double(chord) / Double(chords)
            let place = piece.offset(at: next)
            let (dx, dy) = (place.x - before.x, place.y - before.y)
            let length = (dx * dx + dy * dy).squareRoot()
            var done = 0.0
            while length - done >= rest {
                done += rest
                lastPlaced = begin.moved(by: piece.offset(at: u + (next - u) * min(done / length, 1)))
                points.append(lastPlaced)
                rest = step
            }
            rest -= length - done
            (before, u) = (place, next)
        }
        tip = end
    }
}

extension Ink.Point {
    /// The middle between two points, of the width of the first.
    func middle(to other: Ink.Point) -> Ink.Point {
        Ink.Point(x: (x + other.x) / 2, y: (y + other.y) / 2, t: (t + other.t) / 2, width: width)
    }

    /// How far away another point is.
    func distance(to other: Ink.Point) -> Double {
        let (dx, dy) = (other.x - x, other.y - y)
        return (dx * dx + dy * dy).squareRoot()
    }

    /// The point as far away as an offset says, in place and time.
    fileprivate func moved(by offset: QuadraticPiece.Offset) -> Ink.Point {
        Ink.Point(x: x + offset.x, y: y + offset.y, t: t + offset.t, width: width)
    }
}

/// A quadratic curve, seen from where it begins.
private struct QuadraticPiece {
    typealias Offset = (x: Double, y: Double, t: Double)

    private let control: Offset
    private let end: Offset

    init(from begin: Ink.Point, over control: Ink.Point, to end: Ink.Point) {
        self.control = (control.x - begin.x, control.y - begin.y, control.t - begin.t)
        self.end = (end.x - begin.x, end.y - begin.y, end.t - begin.t)
    }

    /// How far from the beginning the curve is at `u` from 0 to 1.
    func offset(at u: Double) -> Offset {
        let (b, c) = (2 * u * (1 - u), u * u)
        return (b * control.x + c * end.x, b * control.y + c * end.y, b * control.t + c * end.t)
    }
}
