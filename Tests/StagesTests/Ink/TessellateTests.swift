import Foundation
import Pipeline
import Stages
import Testing

@Suite("tessellate")
struct TessellateTests {
    static let strokes: [(name: String, points: [(Double, Double)])] = [
        ("a tap", [(5, 5)]), ("a line", [(0, 0), (40, 0)]), ("a corner", [(0, 0), (20, 0), (20, 20)]),
        ("there and back", [(0, 0), (30, 0), (3, 1)]), ("there and straight back", [(0, 0), (30, 0), (3, 0)]),
        ("a zigzag", [(0, 0), (10, 30), (12, 0), (24, 30), (25, 0)]),
        ("a knot", (0..<40).map { turn($0, radius: 3, by: 0.33) }),
        ("a spiral", (0..<60).map { turn($0, radius: Double($0) / 3, by: 0.2) }),
    ]

    private static func turn(_ i: Int, radius: Double, by angle: Double) -> (Double, Double) {
        (radius * cos(Double(i) * angle), radius * sin(Double(i) * angle))
    }

    /// Returns straight ink through the points, and smooth ink, with varying widths.
    static func inks(_ points: [(Double, Double)]) throws -> [Ink] {
        let straight = Ink(
            points: points.enumerated().map {
                Ink.Point(x: $1.0, y: $1.1, t: Double($0), width: 4 + 0.4 * sin(Double($0) / 2))
            })
        var smooth = try apply(StrokeBezier(), to: stroke(points))
        for (i, point) in smooth.points.enumerated() {
            smooth.points[i].width = 5 + 3 * sin((point.x + point.y) / 14)
        }
        return [straight, smooth]
    }

    @Test("tessellate: the strip covers the area of the pen and nothing else", arguments: strokes.map(\.name))
    func coverage(name: String) throws {
        let places = try #require(Self.strokes.first { $0.name == name }).points
        for ink in try Self.inks(places) {
            let mesh = try apply(Tessellate(), to: ink)
            #expect(mesh.isSane)
            // With 8 triangles per half circle, an arc of radius 4 deviates by 0.08 at most; turns below 20° deviate by 0.06.
            var (inner, outer) = (Coverage(over: ink.points, step: 0.2), Coverage(over: ink.points, step: 0.2))
            inner.pen(ink.points, grown: -0.17)
            outer.pen(ink.points, grown: 0.1)
            var covered = Coverage(over: ink.points, step: 0.2)
            for (a, b, c) in mesh.triangles { covered.triangle(a, b, c) }
            #expect(inner.beyond(covered) == nil, "\(ink.points.count) points: not covered")
            #expect(covered.beyond(outer) == nil, "\(ink.points.count) points: covered beside the outline")
        }
    }

    @Test("tessellate: the strip of a long curve covers the area of the pen")
    func signature() throws {
        let ink = try inkOfWhole(timedStroke(TestCurve.samples(hz: 60)))
        var (inner, covered) = (Coverage(over: ink.points, step: 0.5), Coverage(over: ink.points, step: 0.5))
        inner.pen(ink.points, grown: -0.1)
        for (a, b, c) in ink.triangles { covered.triangle(a, b, c) }
        #expect(inner.beyond(covered) == nil)
    }

    @Test("tessellate: a tap is a disc that appears when the pen touches down")
    func tap() throws {
        let end = inkOfPieces(pieces([Sample(x: -3, y: 0)], sizes: [1]))
        #expect(end.phases == [.begin, .end])
        let rim = end.ink.mesh.filter { $0.x != -3 || $0.y != 0 }
        #expect(rim.count == 17)
        #expect(rim.allSatisfy { abs(hypot($0.x + 3, $0.y) - 2.5) < 1e-12 })
    }

    @Test("tessellate: every stroke of a gesture has a strip of its own")
    func strips() throws {
        let two = Stroke(
            samples: TestCurve.samples(hz: 30) + [Sample(x: 0, y: 0)], counts: [61, 1], fields: .time)
        let ink = try inkOfWhole(two)
        #expect(ink.counts.count == 2)
        #expect(ink.meshCounts.reduce(0, +) == ink.mesh.count)
        #expect(ink.meshCounts.last == 34)
    }

    @Test("tessellate: the memory for a stroke of 100,000 samples does not grow while it is drawn")
    func longStroke() throws {
        let end = InkEnd(keeps: false)
        let chain = BareChain<Points>([PointsBezier(), StrokeWidth(), Tessellate()], end: end)
        func send(_ range: Range<Int>) {
            for i in range {
                let angle = Double(i) / 20
                let sample = Sample(x: 300 * cos(angle), y: 200 * sin(1.01 * angle), t: 0)
                chain.receive(
                    Frame(
                        Points(
                            phase: i == 0 ? .begin : .move, samples: [sample], start: .milliseconds(Int64(i) * 8),
                            fields: .time), at: .milliseconds(Int64(i) * 8)))
            }
        }
        send(0..<1000)
        let before = residentMemory
        send(1000..<100_000)
        // The complete stroke would need over 100 MB of memory.
        #expect(residentMemory - before < 8 << 20)
        #expect(chain.error == nil)
        #expect(end.points > 1_000_000)
    }
}

/// The memory of the process in bytes; 0 if it is unknown.
private var residentMemory: Int {
    let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
    return pages.count > 1 ? (Int(pages[1]) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE))) : 0
}
