import Foundation
import Pipeline
import Testing

@testable import Connectors
@testable import Stages

@Suite("The outline of ink")
struct InkOutlineTests {
    private func contours(_ ink: Ink) -> [Picture.Contour] {
        InkOutline.contours(ink.points.map { InkOutline.Dot(x: $0.x, y: $0.y, radius: $0.width / 2) })
    }

    @Test(
        "Outline of ink: the outline covers the area that a round pen covers, without holes, and nothing else",
        arguments: TessellateTests.strokes.map(\.name))
    func coverage(name: String) throws {
        let places = try #require(TessellateTests.strokes.first { $0.name == name }).points
        for ink in try TessellateTests.inks(places) {
            var (inner, outer) = (Coverage(over: ink.points, step: 0.25), Coverage(over: ink.points, step: 0.25))
            inner.pen(ink.points, grown: -0.17)
            outer.pen(ink.points, grown: 0.1)
            var covered = Coverage(over: ink.points, step: 0.25)
            covered.fill(contours(ink))
            #expect(inner.beyond(covered) == nil, "\(ink.points.count) points: not covered")
            #expect(covered.beyond(outer) == nil, "\(ink.points.count) points: covered beside the outline")
        }
    }

    @Test(
        "Outline of ink: all contours have the same orientation, so that none erases what another covers",
        arguments: TessellateTests.strokes.map(\.name))
    func orientation(name: String) throws {
        let places = try #require(TessellateTests.strokes.first { $0.name == name }).points
        for ink in try TessellateTests.inks(places) {
            for case .polygon(let corners) in contours(ink) {
                let pairs = zip(corners, Array(corners.dropFirst()) + corners.prefix(1))
                #expect(pairs.reduce(0) { $0 + $1.0.x * $1.1.y - $1.1.x * $1.0.y } < 1e-9)
            }
        }
    }

    @Test("Outline of ink: a smooth line is one polygon with two round ends")
    func compact() {
        let dots = (0..<200).map { InkOutline.Dot(x: Double($0), y: 20 * sin(Double($0) / 30), radius: 2) }
        #expect(InkOutline.contours(dots).count == 3)
    }

    @Test("Outline of ink: ink without points has no outline, and a tap is a circle")
    func small() {
        #expect(InkOutline.contours([]).isEmpty)
        #expect(InkOutline.contours([(1, 2, 3), (1, 2, 3)]).count == 1)
    }
}
