import Foundation
import Pipeline
import PipelineTesting
import Testing

@testable import Stages

@Suite("thumb_swipe")
struct ThumbSwipeTests {
    private func fired(_ hand: Landmarks, _ change: (inout ThumbSwipe.Options) -> Void = { _ in }) async -> String? {
        var options = ThumbSwipe.Options()
        change(&options)
        let result = await StageHarness(ThumbSwipe.stage(options)).run([hand])
        #expect(result.report.isSuccess && result.errors.isEmpty, "\(result.errors.map(\.error))")
        return result.payloads.first?.best.name
    }

    private func converted(_ hand: Landmarks, _ change: (inout ConvertComponent.Options) -> Void) throws -> Landmarks {
        var options = ConvertComponent.Options()
        change(&options)
        return try apply(Convert<Landmarks>(options), to: hand)
    }

    /// Returns a fist seen from the side: knuckles in a column, fingers folded back, and the tip of the thumb `reach` above the
    /// first knuckle.
    private func fist(thumb reach: Double) -> Landmarks {
        var points = [point(0, 0)] + (1...3).map { point(0.3 + 0.1 * Double($0), -0.4) } + [point(0.6, -0.5 - reach)]
        for finger in 0..<4 {
            let y = -0.5 + 0.25 * Double(finger)
            points += [point(1, y), point(1.4, y), point(1.2, y), point(0.7, y)]
        }
        return Landmarks(space: "pixels", points: points, hasDepth: false)
    }

    @Test("thumb_swipe fires once when the thumb comes out, and again only after the thumb was in")
    func once() async {
        // The size of the palm is the distance from the wrist to the farthest knuckle: about 1.12. The threshold is 0.3 times
        // this size: 0.335.
        let reaches = [0, 0.3, 0.34, 0.8, 0.3, 0.4, 0.1, 0.4, -0.2, 0.5]
        let result = await StageHarness(ThumbSwipe.stage()).run(reaches.map { fist(thumb: $0) })
        #expect(result.frames.map(\.sequence) == [2, 7, 9])
        #expect(result.payloads.allSatisfy { $0.best.name == "thumb_up" && $0.matcher == "thumb_swipe" })
    }

    @Test("thumb_swipe and measure keep the label of the hand")
    func label() async throws {
        var hand = fist(thumb: 0.8)
        hand.label = "up"
        let labels = await StageHarness(ThumbSwipe.stage()).run([hand]).payloads.map(\.label)
        #expect(labels == ["up"])
        let measure = try Measure.stage(["pinch": .distance("thumbTip", "indexTip", per: .palm)])
        #expect(try apply(measure, to: hand).label == "up")
    }

    @Test("thumb_swipe: an upside-down hand fires the other direction, under configured names")
    func down() async throws {
        let hand = fist(thumb: 0.8)
        let turned = try converted(hand) { ($0.rotateDeg, $0.width, $0.height) = (180, 10, 10) }
        #expect(await fired(hand) == "thumb_up")
        #expect(await fired(turned) == "thumb_down")
        #expect(await fired(turned) { ($0.up, $0.down) = ("next", "back") } == "back")
    }

    @Test(
        "thumb_swipe: a swipe has a name other than None",
        arguments: [("up: None", "option.name"), ("down: None", "option.name"), ("up: \"\"", "option.empty")])
    func badNames(options: String, code: String) {
        #expect(findings("  - thumb_swipe: { \(options) }").map(\.code) == [code])
    }

    @Test("thumb_swipe does not fire while a finger is extended, except with require: none")
    func fingerOut() async {
        var hand = fist(thumb: 0.8)
        hand.points[8] = point(2.2, -0.5)
        #expect(await fired(hand) == nil)
        #expect(await fired(hand) { $0.require = .none } == "thumb_up")
    }

    @Test(
        "thumb_swipe: on MediaPipe's hands it fires for both thumbs up and for none of the others",
        .enabled(if: GestureData.isThere, "PIPELINE_DATA is not set"),
        arguments: [
            ("thumb_up", 0, "thumb_up"), ("thumb_up_rotated", -90, "thumb_up"), ("fist", 0, nil), ("victory", 0, nil),
            ("pointing_up", 0, nil), ("pointing_up_rotated", -90, nil), ("pointing_up_rotated", 0, nil),
            ("thumb_up_rotated", 0, nil),
        ] as [(String, Int, String?)])
    func mediaPipe(name: String, degrees: Int, wanted: String?) async throws {
        let hand = try converted(try await HandData.mediaPipe(name)) { $0.rotateDeg = degrees }
        #expect(await fired(hand) == wanted)
    }

    @Test(
        "thumb_swipe: with require: none, it fires on every upright hand, fists included",
        .enabled(if: GestureData.isThere, "PIPELINE_DATA is not set"))
    func bareRule() async throws {
        for name in ["thumb_up", "fist", "victory", "pointing_up"] {
            #expect(await fired(try await HandData.mediaPipe(name)) { $0.require = .none } == "thumb_up")
        }
    }

    @Test(
        "thumb_swipe fires on less than 2 % of the recorded hands of each class, none of which is a swipe",
        .enabled(if: GestureData.isThere, "PIPELINE_DATA is not set"))
    func keypoints() async throws {
        var rows: [String: (all: Int, fired: Int)] = [:]
        let all = try await HandData.keypoints()
        #expect(all.count == 4787)
        // `scripts/check-deep.sh accuracy` tries all of them.
        let step = GestureData.repetitions(few: 0) > 0 ? 1 : 3
        for hand in stride(from: 0, to: all.count, by: step).map({ all[$0] }) {
            let label = try #require(hand.label)
            rows[label, default: (0, 0)].all += 1
            if await fired(hand) != nil { rows[label, default: (0, 0)].fired += 1 }
        }
        for (label, count) in rows.sorted(by: { $0.key < $1.key }) {
            let share = Double(count.fired) / Double(count.all)
            print("thumb_swipe fires on \(count.fired) of \(count.all) rows of class \(label)")
            #expect(share < 0.02)
        }
    }
}
