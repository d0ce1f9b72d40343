import Pipeline

/// The curve that quadratic pieces make through the midpoints between samples, walked at even steps.
///
/// A piece leads from the middle of one line between two samples to the middle of the next, with the sample between as its
/// control point: neighboring pieces share their tangent, so that the curve has no corners (Apple, WWDC 2012, session 233,
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

    /// Starts over.
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
        // So many that even where the curve turns back on itself none of the chords beside the turn is as long as a step.
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
                let way = ChordWay(length, piece.speed(at: u) * share, piece.speed(at: next) * share)
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

    /// How far the place moves at `u` for a unit of `u`.
    func speed(at u: Double) -> Double {
        let (b, c) = (2 - 4 * u, 2 * u)
        let (x, y) = (b * control.x + c * end.x, b * control.y + c * end.y)
        return (x * x + y * y).squareRoot()
    }
}

/// Which share of the parameter is done when a part of the way along a short chord is: the cubic that has the right speed at
/// both ends.
private struct ChordWay {
    private let perLength, first, second, third: Double

    /// - Parameters:
    ///   - length: The length of the chord, not 0.
    ///   - begin: What it would be at the speed of its beginning.
    ///   - end: What it would be at the speed of its end.
    init(_ length: Double, _ begin: Double, _ end: Double) {
        // Up to 3 on both sides the cubic goes on and never back (Fritsch and Carlson, 1980).
        let (a, b) = (min(length / begin, 3), min(length / end, 3))
        perLength = 1 / length
        (first, second, third) = (a, 3 - 2 * a - b, a + b - 2)
    }

    func share(at done: Double) -> Double {
        let f = min(done * perLength, 1)
        return f * (first + f * (second + f * third))
    }
}
