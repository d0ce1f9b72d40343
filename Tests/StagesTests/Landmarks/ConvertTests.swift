import Foundation
import Pipeline
import PipelineTesting
import Testing

@testable import Stages

@Suite("convert")
struct ConvertTests {
    private static func options(_ change: (inout ConvertComponent.Options) -> Void) -> ConvertComponent.Options {
        var options = ConvertComponent.Options()
        change(&options)
        return options
    }

    private func convert(
        _ landmarks: Landmarks, y: VerticalDirection = .down, _ change: (inout ConvertComponent.Options) -> Void
    )
        throws -> Landmarks
    {
        try apply(Convert<Landmarks>(Self.options(change), y: y), to: landmarks)
    }

    private let one = Landmarks(
        space: "normalized", points: [point(0.25, 0.5, 0.125)], world: [point(0.01, 0.02, 0.03)], handedness: "Left")

    @Test("convert: normalized landmarks become pixels, with z in the unit of x, and can be converted back")
    func pixels() throws {
        let pixels = try convert(one) { ($0.space, $0.width, $0.height) = (.pixels, 640, 480) }
        #expect(pixels.points == [point(160, 240, 80)])
        #expect(pixels.space == "pixels")
        #expect(pixels.world == one.world)
        let back = try convert(pixels) { ($0.space, $0.width, $0.height) = (.normalized, 640, 480) }
        #expect(agree(back.points, one.points))
        #expect(back.space == "normalized")
    }

    @Test("convert: flip_y replaces y by 1 − y, as for Apple's Vision, whose y grows upward")
    func flip() throws {
        let flipped = try convert(one, y: .up) { $0.flipY = true }
        #expect(flipped.points == [point(0.25, 0.5, 0.125)])
        let other = try convert(Landmarks(space: "normalized", points: [point(0.1, 0.75)])) { $0.flipY = true }
        #expect(other.points == [point(0.1, 0.25)])
        #expect(flipped.world == [point(0.01, -0.02, 0.03)])
    }

    @Test("convert: mirroring swaps left and right, but handedness only with swap_handedness")
    func mirror() throws {
        let mirrored = try convert(one) { $0.mirrorX = true }
        #expect(mirrored.points == [point(0.75, 0.5, 0.125)])
        #expect(mirrored.handedness == "Left")
        #expect(try convert(one) { ($0.mirrorX, $0.swapHandedness) = (true, true) }.handedness == "Right")
    }

    // If an image is rotated clockwise, a point near its upper left corner moves to the upper right, and so on.
    @Test(
        "convert: rotate_deg turns clockwise in steps of 90 degrees",
        arguments: [(90, 0.8, 0.1), (180, 0.9, 0.8), (270, 0.2, 0.9), (-90, 0.2, 0.9), (0, 0.1, 0.2)])
    func turns(degrees: Int, x: Double, y: Double) throws {
        let start = Landmarks(space: "normalized", points: [point(0.1, 0.2)])
        #expect(agree(try convert(start) { $0.rotateDeg = degrees }.points, [point(x, y)]))
        // With y up, the same point has the y 1 − y.
        let up = Landmarks(space: "normalized", points: [point(0.1, 0.8)])
        #expect(agree(try convert(up, y: .up) { $0.rotateDeg = degrees }.points, [point(x, 1 - y)]))
    }

    @Test("convert: a quarter turn of an image in pixels exchanges its width and height")
    func turnedPixels() throws {
        let start = Landmarks(space: "pixels", points: [point(100, 0, 7)])
        let turned = try convert(start) { ($0.rotateDeg, $0.width, $0.height) = (90, 640, 480) }
        #expect(turned.points == [point(480, 100, 7)])
        let normalized = try convert(start) {
            ($0.rotateDeg, $0.space, $0.width, $0.height) = (90, .normalized, 640, 480)
        }
        #expect(agree(normalized.points, [point(1, 100 / 640, 7 / 480)]))
    }

    @Test(
        "convert: four quarter turns, two mirrorings or two flips restore the landmarks",
        arguments: CoordinateSpace.allCases)
    func inverses(space: CoordinateSpace) throws {
        var start = Landmarks.typical(3)
        start.space = space.rawValue
        for (times, change) in [
            (4, { $0.rotateDeg = 90 }), (2, { $0.mirrorX = true }), (2, { $0.flipY = true }),
        ] as [(Int, (inout ConvertComponent.Options) -> Void)] {
            var result = start
            for _ in 0..<times {
                result = try convert(result) {
                    change(&$0)
                    ($0.width, $0.height) = (500, 500)
                }
            }
            #expect(agree(result.points, start.points))
            #expect(agree(result.world, start.world))
        }
    }

    @Test("convert: space: world uses the coordinates in meters and refuses landmarks without them")
    func world() throws {
        let world = try convert(one) { ($0.space, $0.mirrorX) = (.world, true) }
        #expect(world.points == [point(-0.01, 0.02, 0.03)])
        #expect(world.space == "world")
        var bare = one
        bare.world = []
        #expect { try convert(bare) { $0.space = .world } } throws: {
            ($0 as? PipelineError)?.code == "convert.no_world"
        }
    }

    @Test(
        "convert: landmarks are refused if their space is unknown or cannot be converted, or if the image size is missing",
        arguments: [
            (nil, ConvertComponent.Space.pixels, "convert.unknown_space"),
            ("sideways", .pixels, "convert.unknown_space"),
            ("normalized", .pixels, "convert.no_size"), ("world", .normalized, "convert.impossible"),
            ("unitless", .pixels, "convert.impossible"),
        ] as [(String?, ConvertComponent.Space, String)])
    func refused(space: String?, wanted: ConvertComponent.Space, code: String) throws {
        var landmarks = one
        landmarks.space = space
        #expect { try convert(landmarks) { $0.space = wanted } } throws: { ($0 as? PipelineError)?.code == code }
    }

    @Test("convert: every hand of a frame is converted, and a frame without hands passes")
    func hands() async {
        let stage = Convert<Hands>(Self.options { $0.flipY = true })
        let result = await StageHarness(stage).run([Hands(hands: [one, one]), Hands(hands: []), Hands(hands: [one])])
        #expect(result.payloads.map(\.hands.count) == [2, 0, 1])
        #expect(result.payloads.allSatisfy { $0.hands.allSatisfy { $0.points == [point(0.25, 0.5, 0.125)] } })
    }

    @Test(
        "convert: MediaPipe's turned hand, turned back, is a thumb up",
        .enabled(if: GestureData.isThere, "PIPELINE_DATA is not set"))
    func turnedBack() async throws {
        let upright = try await HandData.mediaPipe("thumb_up")
        let turned = try await HandData.mediaPipe("thumb_up_rotated")
        // The detector saw two different images, so the hands agree only roughly.
        let back = try convert(turned) { $0.rotateDeg = -90 }
        func thumb(_ hand: Landmarks) -> (Double, Double) {
            (hand.points[4].x - hand.points[0].x, hand.points[4].y - hand.points[0].y)
        }
        let (a, b) = (thumb(upright), thumb(back))
        #expect(a.1 < -0.3 && b.1 < -0.3)
        #expect(abs(atan2(a.1, a.0) - atan2(b.1, b.0)) < 0.2)
    }

    @Test("convert: the finding about a stage that needs another y suggests the convert to insert")
    func proposals() {
        let swipe = findings("  - thumb_swipe", source: "stdin: { kind: landmarks, y: up, space: normalized }")
        #expect(swipe.map(\.code) == ["graph.attribute_mismatch"])
        #expect(swipe.first?.help == "put convert: { flip_y: true } between them")
        #expect(
            findings(
                "  - convert: { flip_y: true }\n  - thumb_swipe",
                source: "stdin: { kind: landmarks, y: up, space: normalized }"
            ).isEmpty)
    }

    @Test(
        "convert: invalid options are findings",
        arguments: [
            ("rotate_deg: 45", "option.range"), ("width: 640", "option.missing"),
            ("space: pixels", "convert.no_size"), ("space: nowhere", "option.choice"),
        ])
    func badOptions(options: String, code: String) {
        let found = findings(
            "  - convert: { \(options) }", source: "stdin: { kind: hands, space: normalized, y: down }")
        #expect(found.map(\.code) == [code])
    }
}
