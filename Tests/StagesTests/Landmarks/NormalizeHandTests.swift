import Foundation
import Pipeline
import Testing

@testable import Stages

@Suite("normalize_hand")
struct NormalizeHandTests {
    private func normalized(
        _ hand: Landmarks, _ change: (inout NormalizeHand.Options) -> Void = { _ in }
    ) throws -> Landmarks {
        var options = NormalizeHand.Options()
        change(&options)
        return try apply(NormalizeHand.stage(options), to: hand)
    }

    @Test(
        "normalize_hand: the wrist is at the origin, and the largest coordinate is 1", arguments: [1e-9, 0.3, 1, 1e9])
    func extent(scale: Double) throws {
        let hand = try normalized(ModelHand.victory.seen(turned: 20, scale: scale))
        #expect(hand.points[0] == point(0, 0))
        #expect(hand.points.map { max(abs($0.x), abs($0.y)) }.max() == 1)
        #expect(hand.space == "unitless" && !hand.hasDepth && hand.points.allSatisfy { $0.z == 0 })
    }

    @Test("normalize_hand: with scale: palm the largest distance from the wrist to the knuckles is 1")
    func palm() throws {
        let hand = try normalized(ModelHand.open.seen()) { $0.scale = .palm }
        #expect(abs(hand.points.extent(of: [0, 5, 9, 13, 17], false) - 1) < 1e-12)
    }

    @Test("normalize_hand: hands that differ only in position and size become the same")
    func invariance() throws {
        let hand = try normalized(ModelHand.open.seen(scale: 1))
        #expect(agree(hand.points, try normalized(ModelHand.open.seen(scale: 777)).points, within: 1e-9))
    }

    @Test(
        "normalize_hand: a hand is turned upright, by no more than the limit",
        arguments: [
            (0.0, 40.0, 40.0), (30, 40, 10), (30, -40, -10), (60, 40, 0), (180, 170, 0), (180, -170, 0), (30, 20, 0),
        ])
    func turning(limit: Double, lean: Double, left: Double) throws {
        let upright = try normalized(ModelHand.victory.seen()) { $0.rotateLimitDeg = 180 }
        let turned = try normalized(ModelHand.victory.seen(turned: lean + leanOfModel(.victory))) {
            $0.rotateLimitDeg = limit
            $0.scale = .palm
        }
        func angle(_ hand: Landmarks) -> Double { atan2(hand.points[9].x, -hand.points[9].y) * 180 / .pi }
        #expect(abs(angle(upright)) < 1e-9)
        #expect(abs(angle(turned) - left) < 1e-9)
    }

    /// Returns the rotation of the model, in degrees, that puts the knuckle of its middle finger above the wrist.
    private func leanOfModel(_ hand: ModelHand) -> Double { -atan2(hand.points[9].x, -hand.points[9].y) * 180 / .pi }

    @Test(
        "normalize_hand: hands of the other side are mirrored; the side is known by handedness or, without it, by the shape"
    )
    func mirroring() throws {
        for name in [nil, "side"] as [String?] {
            var (right, left) = (ModelHand.open.seen(world: true), ModelHand.open.seen(mirrored: true, world: true))
            if name != nil { (right.handedness, left.handedness) = ("Right", "Left") }
            for (side, wanted) in [(NormalizeHand.Side.right, right), (.left, left)] {
                for hand in [right, left] {
                    let result = try normalized(hand) { $0.mirrorTo = side }
                    let known = try normalized(wanted)
                    #expect(agree(result.points, known.points))
                    #expect(agree(result.world, known.world))
                    #expect(result.handedness == wanted.handedness)
                }
            }
            #expect(agree(try normalized(left).points, try normalized(left) { $0.mirrorTo = .left }.points))
        }
    }

    @Test("normalize_hand: world positions keep their z")
    func world() throws {
        var hand = ModelHand.fist.seen(scale: 1)
        (hand.space, hand.hasDepth) = ("world", true)
        let result = try normalized(hand)
        #expect(result.hasDepth && result.points.contains { $0.z != 0 })
    }

    @Test("normalize_hand: a hand without extent is refused, and with scale: palm a hand whose palm has none")
    func noExtent() {
        let everywhere = Landmarks(points: Array(repeating: point(3, 4), count: 21))
        let fingersAlone = Landmarks(points: (0..<21).map { point([0, 5, 9, 13, 17].contains($0) ? 0 : 1, 0) })
        for (hand, scale) in [(everywhere, NormalizeHand.Scale.extent), (fingersAlone, .palm)] {
            let error = #expect(throws: PipelineError.self) { try normalized(hand) { $0.scale = scale } }
            #expect(error?.code == "normalize_hand.no_extent")
        }
        #expect(throws: Never.self) { try normalized(fingersAlone) }
    }

    @Test("normalize_hand: for hands whose y points up, the finding suggests a convert before")
    func upwards() {
        let found = findings("  - normalize_hand", source: "stdin: { kind: landmarks, y: up }")
        #expect(found.map(\.code) == ["graph.attribute_mismatch"])
        #expect(found.first?.help == "put convert: { flip_y: true } between them")
    }
}
