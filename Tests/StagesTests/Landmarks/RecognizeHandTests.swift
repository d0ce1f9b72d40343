import Foundation
import Pipeline
import PipelineTesting
import Testing

@testable import Stages

@Suite("recognize_hand")
struct RecognizeHandTests {
    private func recognize(
        _ hand: Landmarks, _ change: (inout RecognizeHand.Options) -> Void = { _ in }
    ) throws -> Recognition {
        var options = RecognizeHand.Options()
        change(&options)
        return try apply(try RecognizeHand.stage(options), to: hand)
    }

    private static let poses: [(ModelHand, Double, String)] = [
        (.fist, 0, "Closed_Fist"), (.open, 0, "Open_Palm"), (.pointing, 0, "Pointing_Up"), (.victory, 0, "Victory"),
        (.iLoveYou, 0, "ILoveYou"), (.thumb, -60, "Thumb_Up"), (.thumb, 120, "Thumb_Down"),
        // A hand that points down, four fingers, horns and three fingers are not recognized.
        (.pointing, 180, "None"), (.four, 0, "None"), (.horns, 0, "None"), (.three, 0, "None"),
        // In an image that is rotated by 90°.
        (.pointing, 90, "Pointing_Up"), (.pointing, -90, "Pointing_Up"), (.thumb, 30, "Thumb_Up"),
        (.thumb, -150, "Thumb_Up"), (.open, 90, "Open_Palm"), (.victory, -90, "Victory"),
    ]

    @Test(
        "recognize_hand knows the gestures of a model hand in 3D and 2D, left and right, of any size, slightly turned",
        arguments: poses.indices, [false, true])
    func model(index: Int, world: Bool) throws {
        let (hand, degrees, name) = Self.poses[index]
        for turn in [-10.0, 0, 10] {
            for tilt in [-15.0, 0, 15] {
                for scale in [0.01, 200, 1e6] {
                    let seen = hand.seen(turned: degrees + turn, tilted: tilt, scale: scale, world: world)
                    #expect(try recognize(seen).best.name == name, "\(turn) \(tilt)")
                    let mirrored = hand.seen(
                        turned: -degrees - turn, tilted: tilt, mirrored: true, scale: scale, world: world)
                    #expect(try recognize(mirrored).best.name == name, "mirrored, \(turn) \(tilt)")
                }
            }
        }
    }

    @Test(
        "recognize_hand: in an upright image, a hand that points aside does not count as pointing up",
        arguments: [
            (ModelHand.pointing, 110.0, "None"), (.thumb, 40, "None"), (.pointing, 0, "Pointing_Up"),
            (.thumb, -60, "Thumb_Up"),
        ])
    func upright(hand: ModelHand, degrees: Double, name: String) throws {
        #expect(try recognize(hand.seen(turned: degrees)) { $0.canned.image = .upright }.best.name == name)
    }

    @Test(
        "recognize_hand knows the gestures of hands with other proportions", arguments: [0.8, 1, 1.2], [0.8, 1, 1.25])
    func proportions(fingers: Double, width: Double) throws {
        for (hand, degrees, name) in Self.poses {
            var other = hand
            (other.fingers, other.width) = (fingers, width)
            #expect(try recognize(other.seen(turned: degrees)).best.name == name)
        }
    }

    @Test("recognize_hand: scores lie between 0 and 1, best first, and those of None and the best gesture add up to 1")
    func scores() throws {
        for bend in stride(from: 0.0, through: 1, by: 0.05) {
            let result = try recognize(ModelHand([bend, bend, 1, 1], thumb: bend).seen())
            let scores = result.categories.map(\.score)
            #expect(scores == scores.sorted(by: >) && scores.allSatisfy { (0...1).contains($0) })
            let best = result.categories.first { $0.name != "None" }?.score ?? 0
            let none = result.categories.first { $0.name == "None" }?.score ?? 0
            #expect(abs(best + none - 1) < 1e-12)
            #expect(result.margin == scores[0] - (scores.count > 1 ? scores[1] : 0))
        }
    }

    @Test(
        "recognize_hand recognizes MediaPipe's six hands by world coordinates and by the image alone",
        .enabled(if: GestureData.isThere, "PIPELINE_DATA is not set"),
        arguments: [
            ("fist", 0, "Closed_Fist"), ("pointing_up", 0, "Pointing_Up"), ("pointing_up_rotated", -90, "Pointing_Up"),
            ("thumb_up", 0, "Thumb_Up"), ("thumb_up_rotated", -90, "Thumb_Up"), ("victory", 0, "Victory"),
        ])
    func mediaPipe(name: String, degrees: Int, gesture: String) async throws {
        for seen in [try await HandData.mediaPipe(name), try await turned(name, degrees)] {
            #expect(try recognize(seen).best.name == gesture)
            var flat = seen
            flat.world = []
            #expect(try recognize(flat).best.name == gesture)
        }
        let upright = try await turned(name, degrees)
        #expect(try recognize(upright) { $0.canned.image = .upright }.best.name == gesture)
    }

    private func turned(_ name: String, _ degrees: Int) async throws -> Landmarks {
        var options = ConvertComponent.Options()
        options.rotateDeg = degrees
        return try apply(Convert<Landmarks>(options), to: try await HandData.mediaPipe(name))
    }

    @Test(
        "recognize_hand mistakes fewer than 5 % of a person's recorded hands for another gesture",
        .enabled(if: GestureData.isThere, "PIPELINE_DATA is not set"))
    func keypoints() async throws {
        // OK is not one of MediaPipe's gestures, and a hand that points elsewhere is not pointing up.
        let meant = ["Open": "Open_Palm", "Close": "Closed_Fist", "Pointer": "Pointing_Up", "OK": "None"]
        var table: [String: [String: Int]] = [:]
        for hand in try await HandData.keypoints() {
            table[hand.label ?? "", default: [:]][try recognize(hand).best.name, default: 0] += 1
        }
        var (all, wrong) = (0, 0)
        for (label, found) in table.sorted(by: { $0.key < $1.key }) {
            print("\(label):", found.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", "))
            all += found.values.reduce(0, +)
            wrong += found.filter { $0.key != "None" && $0.key != meant[label] }.values.reduce(0, +)
        }
        print("taken for a wrong gesture: \(wrong) of \(all)")
        #expect(all == 4787)
        #expect(Double(wrong) < 0.05 * Double(all))
        for (label, least) in [("Open", 0.9), ("Close", 0.75), ("Pointer", 0.35), ("OK", 0.95)] {
            let found = table[label] ?? [:]
            let right = Double(found[meant[label] ?? ""] ?? 0) / Double(found.values.reduce(0, +))
            #expect(right > least, "\(label): \(right)")
        }
    }

    @Test("recognize_hand: the options of the canned classifier select and name what is reported")
    func cannedOptions() throws {
        let fist = ModelHand([1, 1, 1, 0.75], thumb: 0.2).seen()
        let all = try recognize(fist)
        #expect(
            try recognize(fist) { $0.canned.categories.maxResults = 1 }.categories == Array(all.categories.prefix(1)))
        #expect(try recognize(fist) { $0.canned.categories.denylist = ["Closed_Fist"] }.best.name != "Closed_Fist")
        #expect(
            try recognize(ModelHand.fist.seen()) { $0.canned.categories.allowlist = ["Victory"] }.categories == [.none])
        #expect(
            try recognize(fist) { $0.canned.scoreThreshold = 1 }.categories.allSatisfy { $0.score == 1 || $0 == .none })
        let named = try recognize(ModelHand.fist.seen()) { $0.canned.displayNamesLocale = "de-AT" }
        #expect(named.best == .init(name: "Closed_Fist", displayName: "Faust", index: 1, score: named.best.score))
        #expect(
            try recognize(ModelHand.fist.seen()) { $0.canned.displayNamesLocale = "xx" }.best.displayName
                == "Closed_Fist")
        #expect(try recognize(ModelHand.fist.seen()) { $0.subject = true }.subject == .landmarks(ModelHand.fist.seen()))
    }

    @Test(
        "recognize_hand: options that MediaPipe refuses are errors, and names that it ignores give a warning",
        arguments: [
            ("canned: { category_allowlist: [Victory], category_denylist: [None] }", ["option.conflict"]),
            ("canned: { max_results: 0 }", ["option.range"]), ("canned: { score_threshold: 2 }", ["option.range"]),
            ("canned: { category_denylist: [Victry] }", ["match.unknown_label"]),
            ("canned: { category_allowlist: [None, Thumb_Up] }", []), ("custom: { neighbours: 2 }", ["option.missing"]),
            ("custom: { library: x.json, max_results: 0 }", ["option.range"]),
            ("custom: { library: /nowhere/x.json }", ["file.not_found"]),
        ])
    func validation(options: String, codes: [String]) {
        let found = findings("  - recognize_hand: { \(options) }")
        #expect(Set(found.map(\.code)) == Set(codes), "\(found)")
    }

    @Test(
        "recognize_hand: a hand like a sample of the custom library is that gesture, and others are compared with MediaPipe's"
    )
    func custom() throws {
        let library = GestureLibrary(gestures: [
            .init(name: "horns", displayNames: ["de": "Hörner"], kind: .hand21, hands: [ModelHand.horns.seen()]),
            .init(name: "fist", kind: .hand21, hands: [ModelHand.fist.seen()]),
            .init(name: "none", kind: .hand21, hands: [ModelHand([0.5, 0.5, 0.5, 0.5], thumb: 0.5).seen()]),
        ])
        func recognize(
            _ hand: Landmarks, _ change: (inout RecognizeHand.Options) -> Void = { _ in }
        ) throws -> Recognition {
            var options = RecognizeHand.Options()
            options.custom = CustomGestureOptions()
            options.custom?.maxDistance = 0.1
            options.custom?.displayNamesLocale = "de"
            change(&options)
            return try apply(try RecognizeHand.stage(options, library: library), to: hand)
        }
        // A rotated left hand of another size. With the default layout, the rotation does not matter.
        let horns = try recognize(ModelHand.horns.seen(turned: 140, mirrored: true, scale: 31))
        #expect(horns.best == .init(name: "horns", displayName: "Hörner", index: 0, score: horns.best.score))
        #expect(horns.best.score > 0.999 && horns.matcher == "custom, cosine")
        #expect(try recognize(ModelHand.fist.seen()).best.name == "fist")
        let victory = try recognize(ModelHand.victory.seen())
        #expect(victory.best.name == "Victory" && victory.matcher == "canned")
        #expect(
            try recognize(ModelHand.fist.seen()) { $0.custom?.categories.denylist = ["fist"] }.best.name
                == "Closed_Fist")
        let half = ModelHand([0.5, 0.5, 0.5, 0.5], thumb: 0.5).seen()
        #expect(try recognize(half) { $0.canned.categories.allowlist = ["Victory"] }.best.name == "None")
        let upright = try recognize(ModelHand.horns.seen(turned: 140)) { $0.custom?.layout = .xy }
        #expect(upright.best.name == "None")
        #expect(try recognize(ModelHand.horns.seen()) { $0.custom?.layout = .xy }.best.name == "horns")
    }

    @Test("recognize_hand: fingers that the detector has not seen count as neither extended nor curled")
    func missing() throws {
        var hand = ModelHand.open.seen()
        hand.confidences = Array(repeating: 1, count: 21)
        #expect(try recognize(hand).best.name == "Open_Palm")
        hand.confidences[12] = 0
        #expect(try recognize(hand).best.name == "None")
    }

    @Test("recognize_hand: a set of points that is no hand is refused, and does not affect the next hand")
    func refused() async throws {
        let stage = try RecognizeHand.stage()
        let point = Landmarks(points: Array(repeating: point(1, 1), count: 21))
        var notFinite = ModelHand.open.seen()
        notFinite.points[3].x = .nan
        let result = await StageHarness(stage).run([point, notFinite, ModelHand.open.seen()])
        #expect(result.errors.map(\.error.code) == ["recognize_hand.no_extent", "landmarks.not_finite"])
        #expect(result.payloads.map(\.best.name) == ["Open_Palm"])
    }
}
