import Pipeline
import PipelineTesting
import Testing

@testable import Stages

@Suite("select")
struct SelectTests {
    private func options(_ change: (inout Select.Options) -> Void) -> Select.Options {
        var options = Select.Options()
        change(&options)
        return options
    }

    private func hand(_ handedness: String, score: Double?) -> Landmarks {
        var hand = Landmarks.typical(1)
        (hand.handedness, hand.score) = (handedness, score)
        return hand
    }

    @Test("select: landmarks are selected by name, group and number, in the given order, with all their fields")
    func points() throws {
        let hand = Landmarks.typical(4)
        let stage = try Select(options { $0.landmarks = ["INDEX_FINGER_TIP", "thumb", "0", "thumbTip"] })
        let result = try apply(stage, to: hand)
        let places = [8, 1, 2, 3, 4, 0]
        #expect(result.points == places.map { hand.points[$0] })
        #expect(result.confidences == places.map { hand.confidences[$0] })
        #expect(result.world == places.map { hand.world[$0] })
        #expect(result.topology == "hand21(indexTip,thumbCMC,thumbMP,thumbIP,thumbTip,wrist)")
        #expect(result.handedness == "Right")
    }

    @Test("select: the 17 points of COCO are selected from the 33 of MediaPipe")
    func pose() throws {
        let points = (0..<33).map { point(Double($0), 0) }
        let pose = Landmarks(topology: "pose33", points: points)
        let result = try apply(try Select(options { $0.topology = .pose17 }, of: .pose33), to: pose)
        // With MediaPipe's numbers: nose, eyes, ears, shoulders, elbows, wrists, hips, knees, ankles.
        #expect(result.points.map(\.x) == [0, 2, 5, 7, 8, 11, 12, 13, 14, 15, 16, 23, 24, 25, 26, 27, 28])
        #expect(result.topology == "pose17")
    }

    @Test(
        "select: palm and back are distinguished for right and left hands in any direction", arguments: [0.0, 90, 200])
    func facing(degrees: Double) throws {
        // The model is a right hand that shows its palm. Mirrored, it is a left hand that shows its palm. If it has the name of
        // the other hand, it counts as showing its back.
        for (isMirrored, name, facing) in [
            (false, "Right", Select.Facing.palm), (true, "Left", .palm), (false, "Left", .back), (true, "Right", .back),
        ] {
            var hand = ModelHand.open.seen(turned: degrees, mirrored: isMirrored)
            hand.handedness = name
            for wanted in [Select.Facing.palm, .back] {
                let stage = try SelectHands(options { $0.facing = wanted })
                #expect(try apply(stage, to: Hands(hands: [hand])).hands.count == (wanted == facing ? 1 : 0))
            }
            hand.handedness = nil
            #expect(try apply(SelectHands(options { $0.facing = .palm }), to: Hands(hands: [hand])).hands.isEmpty)
        }
    }

    @Test(
        "select: MediaPipe's victory shows the palm", .enabled(if: GestureData.isThere, "PIPELINE_DATA is not set"))
    func victory() async throws {
        let hands = Hands(hands: [try await HandData.mediaPipe("victory")])
        #expect(try apply(SelectHands(options { $0.facing = .palm }), to: hands).hands.count == 1)
    }

    @Test("select: the best hands are selected, best first, and of equal ones the earlier")
    func best() throws {
        let hands = Hands(hands: [
            hand("Left", score: 0.5), hand("Right", score: nil), hand("a", score: 0.9), hand("b", score: 0.9),
        ])
        let stage = try SelectHands(options { $0.maxHands = 3 })
        #expect(try apply(stage, to: hands).hands.map(\.handedness) == ["a", "b", "Left"])
        #expect(try apply(stage, to: Hands(hands: [])).hands.isEmpty)
    }

    @Test(
        "select: hands are selected by handedness; a frame passes even without hands, but single landmarks are dropped")
    func handedness() async throws {
        let right = options { $0.handedness = .right }
        let frame = Hands(hands: [hand("Left", score: 1), hand("Right", score: 1)])
        #expect(try apply(try SelectHands(right), to: frame).hands.map(\.handedness) == ["Right"])
        #expect(try apply(try SelectHands(right), to: Hands(hands: [hand("Left", score: 1)])).hands.isEmpty)
        let result = await StageHarness(try Select(right)).run([
            hand("Left", score: 1), hand("Right", score: 1),
        ])
        #expect(result.payloads.map(\.handedness) == ["Right"])
        #expect(result.drops.map(\.reason) == ["filtered"])
    }

    @Test("select: landmarks of another topology and landmarks with too few points are refused")
    func otherTopology() throws {
        let stage = try Select(options { $0.landmarks = ["thumbTip"] })
        for (landmarks, code) in [
            (Landmarks(topology: "pose33", points: Array(repeating: point(0, 0), count: 33)), "landmarks.topology"),
            (Landmarks(points: Array(repeating: point(0, 0), count: 20)), "landmarks.count"),
        ] {
            #expect { try apply(stage, to: landmarks) } throws: { ($0 as? PipelineError)?.code == code }
        }
    }

    @Test("select: an unknown name is a finding that suggests a similar one")
    func unknownName() {
        let found = findings("  - select: { landmarks: [wrist, thumbTipp] }")
        #expect(found.map(\.code) == ["landmarks.unknown"])
        #expect(found.first?.help == "did you mean \"thumbTip\"?")
        #expect(throws: PipelineError.self) { try Select(options { $0.landmarks = ["thumbTipp"] }) }
    }

    @Test("select: where facing cannot be determined, the help fits the cause")
    func facingHelp() {
        for (traits, help) in [
            ("y: up", "put convert: { flip_y: true } before, or leave facing out"),
            ("topology: pose33", "put select where hand21 arrives, or leave facing out"),
        ] {
            let found = findings("  - select: { facing: palm }", source: "stdin: { kind: landmarks, \(traits) }")
            #expect(found.map(\.code) == ["select.facing"])
            #expect(found.map(\.help) == [help])
        }
    }

    @Test("select: the next stage knows the selected points")
    func narrowed() {
        let stages = "  - select: { landmarks: [wrist, thumbTip] }\n  - measure: { reach: { distance: [wrist, TIP] } }"
        #expect(findings(stages.replacing("TIP", with: "thumbTip")).isEmpty)
        #expect(findings(stages.replacing("TIP", with: "indexTip")).map(\.code) == ["landmarks.unknown"])
    }

    @Test(
        "select: invalid options are findings",
        arguments: [
            ("max_hands: 2", "landmarks", "select.one_hand"), ("topology: pose17", "landmarks", "select.topology"),
            ("topology: pose17, landmarks: nose", "landmarks, topology: pose33", "option.conflict"),
            ("max_hands: 0", "hands", "option.range"), ("landmarks: []", "landmarks", "option.empty"),
        ])
    func badOptions(options: String, kind: String, code: String) {
        let found = findings("  - select: { \(options) }", source: "stdin: { kind: \(kind) }")
        #expect(found.map(\.code) == [code])
    }
}
