import CKernels
import Foundation
import Pipeline
import Testing

@testable import Stages

@Suite("The cloud distance of spot")
struct DirectedCloudTests {
    private static func spiral(_ turns: Double, aside: Double = 0) -> Stroke {
        Stroke(
            samples: (0..<50).map { index in
                let u = Double(index) / 49
                return Sample(x: 90 * u * cos(turns * 6 * u) + aside * u, y: 70 * u * sin(turns * 6 * u))
            })
    }

    private static func distance(_ a: Stroke, _ b: Stroke) throws -> Float {
        var distance: Float = 0
        pk_cloud_drawn(try GestureCloud(a).features, try GestureCloud(b).features, 1, &distance)
        return distance
    }

    @Test("The cloud distance of spot is 0 for the same gesture, symmetric, and includes the direction by its formula")
    func properties() throws {
        let (a, b) = (Self.spiral(1.5), Self.spiral(1.7, aside: 30))
        #expect(try Self.distance(a, a) == 0)
        #expect(try Self.distance(a, b) == Self.distance(b, a))
        // Only the direction of the line differs: every tangent costs 0.1·(1 + 1).
        var line = Stroke(samples: [Sample(x: 0, y: 0), Sample(x: 90, y: 30)])
        let forth = line
        line.samples.reverse()
        #expect(try abs(Double(Self.distance(forth, line)) - (0.2).squareRoot() / 0.583) < 1e-5)
        // The line and a perpendicular one: a tangent costs 0.2·(1 − 0) + 0.1·(1 − 0) where the lines share a point, and more
        // elsewhere.
        let across = Stroke(samples: [Sample(x: 30, y: -90), Sample(x: 0, y: 0)])
        #expect(try Double(Self.distance(forth, across)) > (0.3).squareRoot() / 0.583)
    }
}
