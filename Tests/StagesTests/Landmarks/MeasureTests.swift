import Foundation
import Pipeline
import PipelineTesting
import Testing

@testable import Stages

@Suite("measure and trigger")
struct MeasureTests {
    private static let square = [(0.0, 0.0), (3, 0), (3, 4), (0, 4)]

    private func measure(_ options: MeasureOptions, _ landmarks: Landmarks) throws -> Double {
        let topology = try Topology(identifier: landmarks.topology)
        return try apply(try Measure.stage(["m": options], of: topology), to: landmarks).values[0]
    }

    @Test(
        "measure and trigger: distances, angles and differences of a rectangle of 3 by 4",
        arguments: [
            (MeasureOptions.distance("p0", "p2"), 5), (.distance("p0", "p2", per: .box), 5 / 3.5),
            (.angle("p0", "p1", "p2"), 90), (.angle("p1", "p0", "p2"), 53.13010235415598),
            (.difference("p0", "p2", axis: .y), -4), (.difference("p2", "p0", axis: .x, per: .box), 3 / 3.5),
        ])
    func values(options: MeasureOptions, wanted: Double) throws {
        #expect(abs(try measure(options, landmarks(Self.square)) - wanted) < 1e-12)
    }

    @Test("measure and trigger: an angle is exact near 0 and 180 degrees", arguments: [1e-6, 1e-9])
    func smallAngles(degrees: Double) throws {
        let slope = tan(degrees * .pi / 180)
        let folded = try measure(.angle("p0", "p1", "p2"), landmarks([(1, slope), (0, 0), (1, 0)]))
        #expect(abs(folded / degrees - 1) < 1e-6)
        let straight = try measure(.angle("p0", "p1", "p2"), landmarks([(-1, slope), (0, 0), (1, 0)]))
        #expect(abs((180 - straight) / degrees - 1) < 1e-4)
    }

    @Test("measure and trigger: z counts in world coordinates, but not in an image")
    func depth() throws {
        var two = landmarks([(0, 0), (3, 0)])
        two.points[1].z = 4
        #expect(try measure(.distance("p0", "p1"), two) == 3)
        two.space = "world"
        #expect(try measure(.distance("p0", "p1"), two) == 5)
    }

    @Test("measure and trigger: a distance per palm does not change when a hand is turned, moved or larger")
    func palm() throws {
        let hand = Landmarks.typical(5)
        let stage = try Measure.stage(["pinch": .distance("thumbTip", "indexTip", per: .palm)])
        let wanted = try apply(stage, to: hand).values[0]
        for degrees in stride(from: 0.0, to: 360, by: 30) {
            let (c, s) = (3 * cos(degrees * .pi / 180), 3 * sin(degrees * .pi / 180))
            var other = hand
            other.points = hand.points.map { point($0.x * c - $0.y * s + 7, $0.x * s + $0.y * c - 2) }
            #expect(abs(try apply(stage, to: other).values[0] - wanted) < 1e-9)
        }
    }

    @Test("measure and trigger: a frame is refused if the size to divide by, or a side of an angle, is zero")
    func noExtent() throws {
        let dot = landmarks([(1, 1), (1, 1), (1, 1)])
        for options in [MeasureOptions.distance("p0", "p1", per: .box), .angle("p0", "p1", "p2")] {
            #expect { try measure(options, dot) } throws: { ($0 as? PipelineError)?.code == "measure.no_extent" }
        }
        #expect(try measure(.distance("p0", "p1"), dot) == 0)
    }

    @Test(
        "measure and trigger: a pinch with hysteresis takes four lines of configuration, and fires once before the hand returns to rest"
    )
    func pinch() async throws {
        let stages = """
              - measure:
                  pinch: { distance: [thumbTip, INDEX_FINGER_TIP], per: palm }
              - trigger:
                  { name: pinch, below: 0.25, rest: 0.4 }
            """
        #expect(findings(stages).isEmpty)
        var below = Trigger.Options()
        (below.name, below.below, below.rest) = ("pinch", 0.25, 0.4)
        // Fires on entering, not while the value stays or flickers around the threshold, and again after it has returned to rest.
        let distances = [0.6, 0.3, 0.2, 0.1, 0.3, 0.2, 0.39, 0.24, 0.4, 0.24, 0.25]
        let result = await StageHarness(Trigger(below)).run(distances.map { FeatureVector(values: [$0]) })
        #expect(result.frames.map(\.sequence) == [2, 9])
        #expect(result.payloads.allSatisfy { $0.best == .init(name: "pinch", index: 0, score: 1) })
        #expect(Set(result.drops.map(\.reason)) == ["no_match"])
    }

    @Test("measure and trigger: above fires in the first frame, and emit_none gives None for the others")
    func above() async {
        var options = Trigger.Options()
        (options.name, options.above, options.emitNone) = ("spread", 2, true)
        let result = await StageHarness(Trigger(options)).run([3, 3, 2, 2.5].map { FeatureVector(values: [$0]) })
        #expect(result.payloads.map(\.best.name) == ["spread", "None", "None", "spread"])
    }

    @Test(
        "measure and trigger: a trigger finds its measure by name, by its own name, by index, or because there is only one",
        arguments: [
            ("name: a, above: 1", "a: { distance: [wrist, thumbTip] }", nil),
            ("name: x, above: 1", "a: { distance: [wrist, thumbTip] }", nil),
            ("name: x, measure: b, above: 1", "{ a: { distance: [wrist, thumbTip] }, b: { angle: [0, 1, 2] } }", nil),
            ("name: x, measure: 1, above: 1", "{ a: { distance: [wrist, thumbTip] }, b: { angle: [0, 1, 2] } }", nil),
            (
                "name: x, above: 1", "{ a: { distance: [wrist, thumbTip] }, b: { angle: [0, 1, 2] } }",
                "trigger.unknown_measure"
            ),
            ("name: x, measure: c, above: 1", "a: { distance: [wrist, thumbTip] }", "trigger.unknown_measure"),
        ] as [(String, String, String?)])
    func names(trigger: String, measures: String, code: String?) {
        let inside = measures.hasPrefix("{") ? measures : "{ \(measures) }"
        let found = findings("  - measure: \(inside)\n  - trigger: { \(trigger) }")
        #expect(found.map(\.code) == (code.map { [$0] } ?? []))
    }

    @Test(
        "measure and trigger: invalid measures are findings",
        arguments: [
            ("measure", "measure.nothing"), ("measure: { a: { axis: y } }", "measure.kind"),
            ("measure: { a: { distance: [wrist, thumbTip], angle: [0, 1, 2] } }", "measure.kind"),
            ("measure: { a: { distance: [wrist] } }", "measure.landmarks"),
            ("measure: { a: { distance: [wrist, thumb] } }", "landmarks.group"),
            ("measure: { a: { distance: [wrist, thumbTop] } }", "landmarks.unknown"),
            ("measure: { a: { angle: [0, 1, 2], per: palm } }", "option.conflict"),
            ("measure: { a: { distance: [0, 1], axis: x } }", "option.conflict"),
            ("measure: { \"a,b\": { distance: [0, 1] } }", "measure.name"),
            ("measure: { a: 3 }", "option.type"),
            ("measure: { a: { angle: [wrist, wrist, thumbTip] } }", "measure.landmarks"),
            // The wrist is landmark 0.
            ("measure: { a: { distance: [0, wrist] } }", "measure.landmarks"),
            ("measure: { a: { distance: [0, 1] } }\n  - trigger: { name: \"\", above: 1 }", "option.empty"),
        ])
    func badOptions(stage: String, code: String) {
        #expect(findings("  - \(stage)").map(\.code) == [code])
    }

    @Test(
        "measure and trigger: a trigger needs a name, one threshold, and a rest on its other side",
        arguments: [
            ("name: a", "trigger.range"), ("name: a, above: 1, below: 0", "trigger.range"),
            ("name: a, above: 1, rest: 2", "trigger.rest"), ("name: a, below: 1, rest: 0.5", "trigger.rest"),
            ("above: 1", "option.missing"), ("name: None, above: 1", "option.name"),
        ])
    func badTriggers(options: String, code: String) {
        #expect(findings("  - trigger: { \(options) }", source: "stdin: { kind: vector }").map(\.code) == [code])
    }

    @Test("measure and trigger: per palm needs a topology that has the points of a palm")
    func noPalm() {
        let found = findings(
            "  - measure: { a: { distance: [nose, leftEye], per: palm } }",
            source: "stdin: { kind: landmarks, topology: pose17 }")
        #expect(found.map(\.code) == ["measure.no_palm"])
    }
}
