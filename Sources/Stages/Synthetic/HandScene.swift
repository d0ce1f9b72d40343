import Pipeline

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A scene of hands in front of a camera. The hands show gestures, move and cross each other. Their landmarks are like those of a
/// detector.
struct HandScene: Sendable {
    /// One hand of a frame.
    struct Seen: Sendable {
        /// The index of the hand in the scene.
        var index: Int
        var landmarks: Landmarks
    }

    /// The parameters of the scene.
    struct Script: Sendable {
        var hands = 2
        var gestures = SyntheticGesture.allCases
        var secondsPerGesture = 1.0
        /// The standard deviation of every point, as a share of the hand's length.
        var noise = 0.02
        /// The probability, per frame, that a hand goes missing.
        var dropouts = 0.0
    }

    /// One hand and its path through the scene.
    private struct Actor: Sendable {
        var isRight: Bool
        /// The center of the hand's path, and the amplitude in each direction.
        var center: (x: Double, y: Double)
        var swing: (x: Double, y: Double)
        var period: Double
        var phase: Double
        var size: Double
        var lean: Double
        var firstGesture: Int
        /// The number of frames for which the hand is still missing, and whether it was missing in the last frame.
        var missing = 0
        var wasMissing = false
    }

    /// The aspect ratio, width over height, of the image over which coordinates are normalized.
    static let aspect = 4.0 / 3

    private var script: Script
    private var random: SplitMix64
    private var actors: [Actor] = []

    /// Creates a scene. The same seed creates the same scene.
    init(_ script: Script, seed: UInt64) {
        self.script = script
        if script.gestures.isEmpty { self.script.gestures = SyntheticGesture.allCases }
        random = SplitMix64(seed: seed)
        let period = 2.4 + 2 * random.uniform()
        let swing = 0.2 + 0.08 * random.uniform()
        for index in 0..<script.hands {
            let isRight = index % 2 == 0
            // Both hands are on one line: they meet in the middle, twice per period.
            actors.append(
                Actor(
                    isRight: isRight, center: (0.5, 0.58 + 0.05 * (random.uniform() - 0.5)),
                    swing: (isRight ? -swing : swing, 0.05 * (random.uniform() - 0.5)), period: period,
                    phase: 0.02 * (random.uniform() - 0.5), size: 0.3 + 0.06 * (random.uniform() - 0.5),
                    lean: 16 * (random.uniform() - 0.5), firstGesture: index * self.script.gestures.count / 2))
        }
    }

    /// Returns the hands that a detector sees at a time, ordered from left to right. Times must increase.
    mutating func frame(at seconds: Double) -> [Seen] {
        var seen: [Seen] = []
        for index in actors.indices {
            if actors[index].missing == 0, !actors[index].wasMissing, random.uniform() < script.dropouts {
                actors[index].missing = 1 + random.below(5)
            }
            actors[index].wasMissing = actors[index].missing > 0
            if actors[index].wasMissing {
                actors[index].missing -= 1
                continue
            }
            seen.append(Seen(index: index, landmarks: landmarks(of: actors[index], at: seconds)))
        }
        return seen.sorted { $0.landmarks.points[0].x < $1.landmarks.points[0].x }
    }

    /// Returns the pose of a hand at a time and its label: a gesture, or `nil` during a transition.
    private func pose(of actor: Actor, at seconds: Double) -> (pose: HandModel.Pose, label: String?) {
        let gestures = script.gestures
        let place = seconds / script.secondsPerGesture
        let number = Int(place.rounded(.down))
        let gesture = gestures[(number + actor.firstGesture) % gestures.count]
        // The last quarter of a gesture's time, at most a quarter of a second, is the transition to the next.
        let change = min(0.25, 0.25 * script.secondsPerGesture) / script.secondsPerGesture
        let rest = place - Double(number) - (1 - change)
        guard rest > 0 else { return (gesture.pose, gesture.rawValue) }
        let next = gestures[(number + 1 + actor.firstGesture) % gestures.count]
        let share = rest / change
        let mixed = gesture.pose.mixed(with: next.pose, share * share * (3 - 2 * share))
        return (mixed, gesture == next ? gesture.rawValue : nil)
    }

    private mutating func landmarks(of actor: Actor, at seconds: Double) -> Landmarks {
        let (pose, label) = pose(of: actor, at: seconds)
        let angle = 2 * Double.pi * (seconds / actor.period + actor.phase)
        let (x, y) = (actor.center.x + actor.swing.x * cos(angle), actor.center.y + actor.swing.y * sin(angle))
        let roll = (pose.roll + actor.lean) * .pi / 180
        let side = actor.isRight ? 1.0 : -1.0
        // Rotate in the image, and mirror a left hand. y grows downward, and z away from the camera.
        let meters = HandModel.points(pose).map { point -> Landmarks.Point in
            let turned = (x: point.x * cos(roll) + point.y * sin(roll), y: point.y * cos(roll) - point.x * sin(roll))
            return Landmarks.Point(x: side * turned.x, y: -turned.y, z: -point.z)
        }
        let count = Double(meters.count)
        let middle = meters.reduce((0.0, 0.0, 0.0)) { ($0.0 + $1.x / count, $0.1 + $1.y / count, $0.2 + $1.z / count) }
        let scale = actor.size / HandModel.length
        var (points, world): ([Landmarks.Point], [Landmarks.Point]) = ([], [])
        let deviation = script.noise * HandModel.length
        for point in meters {
            let noisy = (
                x: point.x + deviation * random.normal(), y: point.y + deviation * random.normal(),
                z: point.z + deviation * random.normal()
            )
            world.append(
                .init(
                    x: rounded(noisy.x - middle.0), y: rounded(noisy.y - middle.1), z: rounded(noisy.z - middle.2)))
            points.append(
                .init(
                    x: rounded(x + (noisy.x - middle.0) * scale / Self.aspect),
                    y: rounded(y + (noisy.y - middle.1) * scale),
                    // Like MediaPipe's z: relative to the wrist, in the unit of x.
                    z: rounded((noisy.z - meters[0].z) * scale / Self.aspect)))
        }
        return Landmarks(
            space: CoordinateSpace.normalized.rawValue, points: points,
            confidences: points.map { _ in percent(0.93 + 0.03 * random.normal()) }, world: world,
            handedness: actor.isRight ? "Right" : "Left", handednessScore: percent(0.97 + 0.02 * random.normal()),
            score: percent(0.94 + 0.02 * random.normal()), presence: percent(0.96 + 0.02 * random.normal()),
            label: label)
    }

    /// Rounds to a ten-thousandth of the image or a tenth of a millimeter. This makes values short as text, and independent of the
    /// last digits of `sin`.
    private func rounded(_ value: Double) -> Double { (value * 10_000).rounded() / 10_000 }

    private func percent(_ value: Double) -> Double { (min(max(value, 0), 1) * 100).rounded() / 100 }
}
