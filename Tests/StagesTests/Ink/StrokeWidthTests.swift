import Foundation
import Pipeline
import Stages
import Testing

@Suite("stroke_width")
struct StrokeWidthTests {
    /// Returns ink along a straight line at a constant speed, with one point per unit.
    private func line(speed: Double, length: Int) -> Ink {
        Ink(points: (0...length).map { Ink.Point(x: Double($0), y: 0, t: Double($0) / speed * 1e6) }, isTimed: true)
    }

    private func width(_ ink: Ink) throws -> [Double] { try apply(StrokeWidth(), to: ink).points.map(\.width) }

    @Test(
        "stroke_width: at a constant speed, the width settles at the value worked out by hand",
        arguments: [(10.0, 5.0), (50, 5), (775, 3), (1137.5, 2), (1500, 1), (9000, 1)])
    func steady(speed: Double, expected: Double) throws {
        let widths = try width(line(speed: speed, length: Int(speed)))
        #expect(abs((widths.last ?? 0) - expected) < 1e-6)
    }

    @Test("stroke_width: from rest the width follows the step response of a low-pass of first order")
    func stepResponse() throws {
        let widths = try width(line(speed: 1000, length: 200))
        for (i, width) in widths.enumerated() {
            let speed = 1000 * (1 - exp(-Double(i) / 40))
            #expect(abs(width - (5 - 4 * min(max((speed - 50) / 1450, 0), 1))) < 1e-9)
        }
    }

    @Test("stroke_width: slow is thick, fast is thin")
    func slowAndFast() throws {
        let ink = try inkOfWhole(timedStroke(TestCurve.samples(hz: 120)))
        let places = (0..<1000).map { TestCurve.place(Double($0) / 500) }
        let speeds = zip(places, places.dropFirst()).map { hypot($1.x - $0.x, $1.y - $0.y) * 500 }
        func speed(at time: Double) -> Double { speeds[min(max(Int(time * 500), 0), speeds.count - 1)] }
        // The low-pass delays the width by 40 ms. In the first 200 ms, the filtered speed rises from zero to that of the curve.
        let later = ink.points.filter { $0.t > 0.2e6 }
        let thinnest = try #require(later.min { $0.width < $1.width })
        let thickest = try #require(later.max { $0.width < $1.width })
        #expect(speed(at: thinnest.t / 1e6 - 0.04) > 0.95 * (speeds.max() ?? 0))
        #expect(speed(at: thickest.t / 1e6 - 0.04) < 1.2 * (speeds.min() ?? 0))
        #expect((ink.points.first?.width ?? 0) == 5)
    }

    @Test(
        "stroke_width: the same movement gives the same widths within 10 % at 30, 60 and 120 Hz", arguments: [30.0, 60])
    func samplingRate(hz: Double) throws {
        let fine = try inkOfWhole(timedStroke(TestCurve.samples(hz: 120))).points
        let coarse = try inkOfWhole(timedStroke(TestCurve.samples(hz: hz))).points
        var largest = 0.0
        for point in coarse {
            // The width of the finer ink at the same time.
            guard let i = fine.firstIndex(where: { $0.t >= point.t }), i > 0 else { continue }
            let (a, b) = (fine[i - 1], fine[i])
            let width = a.width + (point.t - a.t) / (b.t - a.t) * (b.width - a.width)
            largest = max(largest, abs(point.width - width) / width)
        }
        #expect(largest < 0.1, "\(largest)")
    }

    @Test("stroke_width: at a constant speed, widths do not depend on the distance between points")
    func spacing() throws {
        var samples = line(speed: 700, length: 300).points
        let full = try width(Ink(points: samples, isTimed: true))
        samples = samples.enumerated().filter { $0.offset % 7 == 0 }.map(\.element)
        let sparse = try width(Ink(points: samples, isTimed: true))
        for (i, width) in sparse.enumerated() { #expect(abs(width - full[7 * i]) < 1e-9) }
    }

    @Test("stroke_width: every stroke begins at rest")
    func reset() throws {
        let one = line(speed: 2000, length: 100)
        let two = Ink(points: one.points + one.points, counts: [101, 101], isTimed: true)
        let widths = try width(two)
        #expect(Array(widths[..<101]) == Array(widths[101...]))
    }

    @Test("stroke_width: times that stand still or go back give finite widths")
    func oddTimes() throws {
        let ink = Ink(
            points: [(0.0, 0.0), (1, 0), (2, 0), (3, -50), (4, 1e9), (5, 1e9)].map {
                Ink.Point(x: $0.0, y: 0, t: $0.1)
            },
            isTimed: true)
        let made = try apply(StrokeWidth(), to: ink)
        #expect(made.isSane)
        #expect(made.points.allSatisfy { (1...5).contains($0.width) })
    }

    @Test("stroke_width: ink without times is refused, with the remedy")
    func noTimes() throws {
        let error = #expect(throws: PipelineError.self) {
            try apply(StrokeWidth(), to: Ink(points: [Ink.Point(x: 0, y: 0)]))
        }
        #expect(error?.code == "stroke_width.no_times")
        #expect(error?.help?.contains("bezier has a width of its own") == true)
    }
}
