import Foundation
import Pipeline
import Stages
import Testing

/// The quality of ink compared with straight lines through the same samples, as reported in `Documentation/Ink.md`.
@Suite("The quality of ink")
struct InkQualityTests {
    /// A path as a list of points.
    private typealias Way = [(x: Double, y: Double)]

    private static let curve: Way = (0...2000).map { TestCurve.place(Double($0) / 1000) }

    /// Returns the distance of a point from a path.
    private static func distance(of place: (x: Double, y: Double), from way: Way) -> Double {
        var nearest = Double.infinity
        for (a, b) in zip(way, way.dropFirst()) {
            let (dx, dy) = (b.x - a.x, b.y - a.y)
            let square = dx * dx + dy * dy
            let share = square > 0 ? min(max(((place.x - a.x) * dx + (place.y - a.y) * dy) / square, 0), 1) : 0
            nearest = min(nearest, hypot(a.x + share * dx - place.x, a.y + share * dy - place.y))
        }
        return nearest
    }

    /// Returns the Hausdorff distance of two paths, measured at 300 to 600 points of each, or at all points of a shorter path.
    private static func hausdorff(_ a: Way, _ b: Way) -> Double {
        let there = stride(from: 0, to: a.count, by: max(a.count / 300, 1)).map { distance(of: a[$0], from: b) }
        let back = stride(from: 0, to: b.count, by: max(b.count / 300, 1)).map { distance(of: b[$0], from: a) }
        return max(there.max() ?? 0, back.max() ?? 0)
    }

    /// Returns the angle between consecutive steps of one unit along a path, in degrees.
    private static func turns(_ way: Way) throws -> [Double] {
        let places = try apply(Resample(spacing: 1), to: stroke(way.map { ($0.x, $0.y) })).samples.dropLast()
        return zip(zip(places, places.dropFirst()), places.dropFirst(2)).map { pair, c in
            let (a, b) = pair
            let (ux, uy, vx, vy) = (b.x - a.x, b.y - a.y, c.x - b.x, c.y - b.y)
            return atan2(ux * vy - uy * vx, ux * vx + uy * vy) * 180 / .pi
        }
    }

    /// Returns the sharpest turn, and the largest jump of curvature between two turns.
    private static func roughness(_ way: Way) throws -> (turn: Double, jump: Double) {
        let turns = try turns(way)
        return (
            turns.map(abs).max() ?? 0, zip(turns, turns.dropFirst()).map { abs($1 - $0) }.max() ?? 0
        )
    }

    /// The figures in the documentation: the sharpest turn in degrees, the largest jump of curvature in degrees per unit, and the
    /// Hausdorff distance from the true curve.
    private struct Figures {
        let turn, jump, distance: Double
    }

    @Test(
        "Ink at every sampling rate has no corners and is as near to the curve as straight lines",
        arguments: [(30.0, 20.1, 1.42, 1.23), (60, 11.2, 1.36, 0.31), (120, 5.8, 1.32, 0.08)])
    func quality(hz: Double, corner: Double, turn: Double, distance: Double) throws {
        let samples = TestCurve.samples(hz: hz)
        var options = Bezier.Options()
        options.spacing = 0.25
        let (lines, ink) = (
            samples.map { (x: $0.x, y: $0.y) },
            try apply(StrokeBezier(options), to: timedStroke(samples)).points.map { (x: $0.x, y: $0.y) }
        )
        func figures(_ way: Way) throws -> Figures {
            let roughness = try Self.roughness(way)
            return Figures(turn: roughness.turn, jump: roughness.jump, distance: Self.hausdorff(way, Self.curve))
        }
        let (ofLines, ofInk) = (try figures(lines), try figures(ink))
        #expect(abs(ofLines.turn - corner) < 0.1)
        #expect(ofInk.turn <= turn)
        #expect(ofInk.distance <= distance)
        #expect(ofInk.distance <= 1.05 * ofLines.distance)
        #expect(ofInk.jump < 0.15 * ofLines.jump, "\(ofInk) against \(ofLines)")
        // The sharpest turn of the curve itself is about 1.29° per unit.
        #expect(abs(try Self.roughness(Self.curve).turn - 1.29) < 0.1)
    }
}
