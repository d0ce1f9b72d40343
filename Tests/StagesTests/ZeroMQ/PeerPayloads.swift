import Pipeline
import Stages

/// The payloads of the messages that `Tests/peers/kinds_peer.py` writes by hand, for each kind in the same order.
enum PeerPayloads {
    private static let ugly = "Grüße 手 👩🏽‍🚀 \"quoted\" back\\slash tab\t"
    private static let sure = Recognition.Category(name: "fist", displayName: "Faust", index: 0, score: 0.9375)
    private static let unsure = Recognition.Category(name: "palm", index: 1, score: 0.1)

    /// Returns the given number of points, with a constant step for each axis.
    private static func places(_ count: Int, _ x: Double, _ y: Double, _ z: Double = 0) -> [Landmarks.Point] {
        (1...count).map { .init(x: Double($0) * x, y: Double($0) * y, z: Double($0) * z) }
    }

    /// Returns a hand of 21 points.
    private static func hand(_ change: (inout Landmarks) -> Void = { _ in }) -> Landmarks {
        var hand = Landmarks(
            topology: "hand21", space: "normalized", points: places(21, 1 / 64, 1 / 32, -1 / 128), hasDepth: true)
        change(&hand)
        return hand
    }

    private static let stroke = Stroke(
        samples: [
            Sample(x: 12.5, y: 40), Sample(x: 13, y: 44.5, t: 16000), Sample(x: 14, y: 52, t: 32000),
        ], start: .microseconds(1000), fields: .time, label: "line")

    private static let tool = Landmarks(
        topology: "tool(tip,middle,end)", space: "pixels",
        points: [.init(x: 1, y: 2, z: 3), .init(x: 4.25, y: 5, z: 6), .init(x: -7, y: 8, z: 1 / 3)], hasDepth: true,
        confidences: [1, 0.5, 0],
        world: [.init(x: 0.001, y: 0, z: -0.25), .init(x: 1, y: 2, z: 3), .init(x: 4, y: 5, z: 6)],
        handedness: "Left", handednessScore: 0.875, score: 0.75, presence: 0.625, track: 7, doubt: "small",
        label: ugly)

    static let strokes: [Stroke] = [
        stroke,
        Stroke(
            samples: [
                Sample(x: 0.1, y: -0.25, t: 0, p: 0.5), Sample(x: 1e6, y: 3, t: 5.5, p: 1),
                Sample(x: -2, y: 1, t: 9, p: 0),
            ], counts: [2, 1], start: .microseconds(2000), fields: [.time, .pressure], label: ugly, subject: ""),
        Stroke(samples: [], start: .microseconds(3000)),
    ]

    static let points: [Points] = [
        Points(
            phase: .begin, stroke: 3, samples: [Sample(x: 1, y: 2.5, p: 0.125)], start: .microseconds(1000),
            fields: .pressure),
        Points(
            phase: .move, stroke: 3, samples: [Sample(x: 1, y: 2), Sample(x: 3, y: 4, t: 250.5)],
            start: .microseconds(1500), fields: .time),
        Points(phase: .end, stroke: 3, samples: [], start: .microseconds(3000)),
        Points(phase: .cancel, stroke: 4, samples: [], start: .microseconds(4000)),
    ]

    static let landmarks: [Landmarks] = [
        tool,
        Landmarks(topology: "hand21", points: places(21, 0.5, 3), hasDepth: false),
    ]

    static let hands: [Hands] = [
        Hands(hands: [
            hand {
                $0.world = places(21, 1 / 1024, -1 / 1024, 0.5)
                ($0.handedness, $0.handednessScore) = ("Left", 0.9375)
            },
            hand { ($0.handedness, $0.score, $0.track) = ("Right", 0.5, 300) },
        ]),
        Hands(hands: []),
    ]

    static let results: [HandResults] = [
        HandResults(hands: [
            .init(landmarks: hand { ($0.handedness, $0.track) = ("Left", 1) }, gestures: [sure, unsure]),
            .init(landmarks: hand()),
        ]),
        HandResults(hands: []),
        HandResults(hands: [.init(landmarks: hand { $0.handedness = "Right" }, gestures: [.none])]),
    ]

    static let vectors: [FeatureVector] = [
        FeatureVector(
            values: [1, -0.5, 1 / 3, 0], start: .microseconds(1000), end: .microseconds(2000), label: "line",
            subject: .stroke(stroke)),
        FeatureVector(values: [], end: .max, subject: .landmarks(tool)),
    ]

    static let bitmaps: [Bitmap] = [
        Bitmap(bits: 0x0123_4567_89AB_CDEF, start: .microseconds(1000), end: .microseconds(2000)),
        Bitmap(
            bits: .max, start: .microseconds(1), end: .microseconds(70000), label: ugly, subject: .stroke(stroke)),
    ]

    static let recognitions: [Recognition] = [
        Recognition(
            categories: [sure, unsure], margin: 0.8375, matcher: "protractor", start: .microseconds(1000),
            end: .microseconds(2000), label: "fist"),
        Recognition(
            categories: [.none], margin: 0, matcher: "", end: .microseconds(1 << 32), subject: .landmarks(hand())),
    ]

    static let inks: [Ink] = [
        Ink(
            points: [.init(x: 1, y: 2, width: 0.5), .init(x: 3, y: 4.25, width: 1)],
            mesh: [.init(x: 0, y: 0), .init(x: 1, y: 1), .init(x: 0.5, y: 2)], start: .microseconds(1000),
            label: "line", subject: "ann"),
        Ink(
            stroke: 2,
            points: [
                .init(x: 1, y: 2, t: 0, width: 3), .init(x: 4, y: 5, t: 1000, width: 0.25),
                .init(x: 6, y: 7, t: 2000.5, width: 0),
            ], counts: [1, 0, 2], start: .microseconds(2000), isTimed: true),
        Ink(phase: .begin, stroke: 3, points: [.init(x: 1, y: 2, width: 3)], start: .microseconds(3000)),
        Ink(phase: .cancel, stroke: 3, points: [], start: .microseconds(4000)),
    ]

    static let errors: [FailedFrame] = [
        FailedFrame(
            node: "match", error: .frame("match.not_finite", ugly, location: "byte 7"), frame: stroke),
        FailedFrame(node: "camera", error: .frame("decode.type", "expected a number"), frame: nil),
    ]
}
