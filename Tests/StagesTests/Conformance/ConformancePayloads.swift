import Pipeline
import PipelineTesting
import Stages

// The payloads with which the conformance suite tests every component: strokes and points as drawn by hand, and the worst cases.

private func loop(_ index: Int, count: Int = 24) -> [Sample] {
    (0..<count).map { step in
        // A rose curve whose number of leaves depends on the index: no two are equal, none is degenerate.
        let angle = Double(step) / Double(count) * 6.28
        let radius = 60 + 40 * (Double(1 + index % 5) * angle).cosine
        return Sample(
            x: 200 + radius * angle.cosine + Double(index), y: 150 + radius * angle.sine, t: Double(step) * 8000,
            p: 0.5)
    }
}

extension Double {
    /// The sine from a few terms of its series: precise enough for test figures, and the same on every platform.
    fileprivate var sine: Double {
        let x = remainder(dividingBy: 2 * .pi)
        let square = x * x
        return x * (1 - square / 6 * (1 - square / 20 * (1 - square / 42 * (1 - square / 72))))
    }

    fileprivate var cosine: Double { (self + .pi / 2).sine }
}

private func hostileSamples() -> [[Sample]] {
    let line = (0..<10).map { Sample(x: 5, y: Double($0), t: Double($0)) }
    return [
        [],
        [Sample(x: 1, y: 1)],
        Array(repeating: Sample(x: 3, y: 3, t: 5), count: 12),
        line,
        line.map { Sample(x: $0.y, y: $0.x) },
        [Sample(x: 0, y: 0), Sample(x: .leastNonzeroMagnitude, y: 0)],
        [Sample(x: -1e30, y: 1e30), Sample(x: 1e30, y: -1e30), Sample(x: 0, y: 0)],
        [Sample(x: 1e308, y: 0), Sample(x: -1e308, y: 0)],
        [Sample(x: 0, y: 0), Sample(x: .nan, y: 1), Sample(x: 2, y: 2)],
        [Sample(x: 0, y: 0), Sample(x: .infinity, y: 1)],
        [Sample(x: 0, y: 0, t: .nan), Sample(x: 9, y: 1, t: -.infinity)],
    ]
}

extension Stroke: ConformancePayload {
    public static func typical(_ index: Int) -> Stroke {
        let samples = loop(index)
        return Stroke(
            samples: samples, counts: index % 4 == 3 ? [10, 14] : [], start: .milliseconds(Int64(index) * 1000),
            fields: [.time, .pressure], label: ["circle", "star", nil][index % 3])
    }

    public static var hostile: [Stroke] {
        hostileSamples().map { Stroke(samples: $0, fields: .time) } + [
            // Counts whose sum differs from the number of samples.
            Stroke(samples: loop(0), counts: [1, 2]), Stroke(samples: loop(0), counts: [-1, 25]),
            Stroke(samples: loop(0), counts: [.max, .max]), Stroke(samples: [], counts: [0, 0]),
            Stroke(samples: loop(0), start: .max, fields: .time),
        ]
    }
}

extension Points: ConformancePayload {
    public static func typical(_ index: Int) -> Points {
        let phases: [Phase] = [.begin, .move, .move, .end]
        let samples = loop(index / 4)
        let part = index % 4
        return Points(
            phase: phases[part], stroke: index / 4, samples: Array(samples[part * 6..<part * 6 + 6]),
            start: .milliseconds(Int64(index) * 50), fields: .time)
    }

    public static var hostile: [Points] {
        Phase.allCases.flatMap { phase in
            hostileSamples().map { Points(phase: phase, stroke: .max, samples: $0, fields: .time) }
        }
    }
}

extension FeatureVector: ConformancePayload {
    public static func typical(_ index: Int) -> FeatureVector {
        let samples = loop(index, count: 16)
        let length = samples.reduce(0) { $0 + $1.x * $1.x + $1.y * $1.y }.squareRoot()
        return FeatureVector(values: samples.flatMap { [$0.x / length, $0.y / length] })
    }

    public static var hostile: [FeatureVector] {
        [
            [], [0], [1], Array(repeating: 0, count: 32), Array(repeating: 1e300, count: 32),
            Array(repeating: .leastNonzeroMagnitude, count: 32), [.nan] + Array(repeating: 0.1, count: 31),
            Array(repeating: .infinity, count: 32),
        ].map { FeatureVector(values: $0) }
    }
}

extension Bitmap: ConformancePayload {
    public static func typical(_ index: Int) -> Bitmap {
        Bitmap(bits: 0xFF81_8181_8181_81FF >> UInt64(index % 8), label: ["circle", nil][index % 2])
    }

    public static var hostile: [Bitmap] {
        [Bitmap(bits: 0), Bitmap(bits: .max), Bitmap(bits: 1, start: .max, end: .zero, label: "\u{0}\"\n")]
    }
}

extension Recognition: ConformancePayload {
    public static func typical(_ index: Int) -> Recognition {
        Recognition(
            categories: [Category(name: ["circle", "star", "check"][index % 3], index: index % 3, score: 0.9)],
            margin: 0.4, matcher: "test", label: "circle")
    }

    public static var hostile: [Recognition] {
        [
            Recognition(categories: [], margin: 0, matcher: ""),
            Recognition(
                categories: [Category(name: "\u{0}\"\n", index: .min, score: .nan)], margin: .nan, matcher: "x"),
            Recognition(categories: [.none], margin: 0, matcher: "x", start: .max, end: .zero),
        ]
    }
}

extension Ink: ConformancePayload {
    public static func typical(_ index: Int) -> Ink {
        let phases: [Phase] = [.begin, .move, .move, .end, .whole]
        let samples = loop(index / 5)
        let part = index % 5
        let taken = part == 4 ? samples[...] : samples[part * 6..<part * 6 + 6]
        return Ink(
            phase: phases[part], stroke: index / 5,
            points: taken.map { Point(x: $0.x, y: $0.y, t: $0.t, width: 2 + $0.p) },
            counts: index % 10 == 9 ? [10, 14] : [], start: .milliseconds(Int64(index) * 50), isTimed: true)
    }

    public static var hostile: [Ink] {
        Phase.allCases.flatMap { phase in
            hostileSamples().map { samples in
                Ink(
                    phase: phase, stroke: .max, points: samples.map { Point(x: $0.x, y: $0.y, t: $0.t, width: 1) },
                    isTimed: true)
            }
        } + [
            Ink(points: [Point(x: 0, y: 0, width: -1)]), Ink(points: [Point(x: 0, y: 0)], counts: [.max, .max]),
            Ink(points: [], counts: [-1, 1]), Ink(points: [], mesh: [], meshCounts: [3]), Ink(points: []),
        ]
    }
}

extension Landmarks: ConformancePayload {
    /// A right hand that opens, closes and wanders.
    public static func typical(_ index: Int) -> Landmarks {
        let curl = (Double(index) / 5).sine / 2 + 0.5
        let fingers = (0..<5).flatMap { finger in
            (1...4).map { joint -> Point in
                let reach = Double(joint) * (0.08 - 0.05 * curl)
                return Point(
                    x: 0.3 + 0.1 * Double(finger) + 0.002 * Double(index), y: 0.6 - reach, z: -0.01 * Double(joint))
            }
        }
        let points = [Point(x: 0.5, y: 0.9)] + fingers
        return Landmarks(
            space: "normalized", points: points,
            confidences: points.indices.map { 0.5 + 0.4 * (Double(index + $0)).sine },
            world: points.map { Point(x: ($0.x - 0.5) / 5, y: ($0.y - 0.5) / 5, z: $0.z) }, handedness: "Right",
            handednessScore: 0.95, score: 0.6 + 0.3 * Double(index).sine, presence: 0.9, track: 3)
    }

    public static var hostile: [Landmarks] {
        let hand = typical(0)
        func changed(_ change: (inout Landmarks) -> Void) -> Landmarks {
            var copy = hand
            change(&copy)
            return copy
        }
        return [
            Landmarks(points: []), Landmarks(points: [Point(x: 1, y: 2)]),
            changed { $0.points.removeLast() }, changed { $0.confidences.removeLast() },
            changed { $0.world.removeLast() }, changed { $0.world = [] }, changed { $0.confidences = [] },
            changed { $0.points[3].x = .nan }, changed { $0.points[4].z = .infinity },
            changed { $0.world[3].y = .nan }, changed { $0.confidences[8] = .nan }, changed { $0.score = .nan },
            changed { $0.points = Array(repeating: Point(x: 0.5, y: 0.5), count: 21) },
            changed { hand in for index in hand.points.indices { hand.points[index].x *= 1e30 } },
            changed { hand in for index in hand.points.indices { hand.points[index].y *= 1e300 } },
            changed { hand in for index in hand.points.indices { hand.points[index].x *= .leastNonzeroMagnitude } },
            changed { $0.space = nil }, changed { $0.space = "elsewhere" }, changed { $0.track = .max },
            changed { $0.track = -5 },
            Landmarks(topology: "pose33", space: "pixels", points: Array(repeating: Point(x: 3, y: 4), count: 33)),
            Landmarks(topology: "hand21", space: "world", points: Array(repeating: Point(x: 0, y: 0), count: 478)),
            Landmarks(
                topology: "face478", space: "normalized",
                points: (0..<478).map { Point(x: Double($0 % 22) / 22, y: Double($0 / 22) / 22) }),
        ]
    }
}

extension HandResults: ConformancePayload {
    /// The typical hands, every other one with its gestures.
    public static func typical(_ index: Int) -> HandResults {
        HandResults(
            hands: Hands.typical(index).hands.enumerated().map { place, hand in
                Hand(landmarks: hand, gestures: (index + place) % 2 == 0 ? Recognition.typical(index).categories : [])
            })
    }

    public static var hostile: [HandResults] {
        Hands.hostile.map { hands in
            HandResults(hands: hands.hands.map { Hand(landmarks: $0, gestures: Recognition.hostile[1].categories) })
        }
    }
}

extension Hands: ConformancePayload {
    /// No hand, one hand or two.
    public static func typical(_ index: Int) -> Hands {
        var left = Landmarks.typical(index + 7)
        left.handedness = "Left"
        left.track = 4
        return Hands(hands: [[], [Landmarks.typical(index)], [Landmarks.typical(index), left]][index % 3])
    }

    public static var hostile: [Hands] {
        Landmarks.hostile.map { Hands(hands: [.typical(1), $0]) } + [
            Hands(hands: Array(repeating: .typical(2), count: 50))
        ]
    }
}
