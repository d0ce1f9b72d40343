import Pipeline

/// The position of a hand: the center of its palm, and the side of a square around it.
struct HandPlace: Sendable {
    let x: Double
    let y: Double
    let side: Double

    /// Returns the intersection over union (IoU) of two squares, 0 to 1. Squares without extent overlap if they are identical.
    func overlap(with other: HandPlace) -> Double {
        func shared(_ a: Double, _ b: Double) -> Double {
            max(0, min(a + side / 2, b + other.side / 2) - max(a - side / 2, b - other.side / 2))
        }
        let both = shared(x, other.x) * shared(y, other.y)
        let all = side * side + other.side * other.side - both
        return all > 0 ? both / all : x == other.x && y == other.y ? 1 : 0
    }
}

/// What tracking compares of a hand in a frame.
struct SeenHand {
    let place: HandPlace
    let points: [Landmarks.Point]
    /// The handedness from −1 (certainly left) to 1 (certainly right); 0 if the data do not contain it.
    let handedness: Double

    /// The wrist and knuckles, which hardly move relative to each other when a hand closes.
    private static let palm = [0, 5, 9, 13, 17]
    /// The points that MediaPipe's hand tracking puts its box around: wrist, knuckles, the thumb's lower joints, and the middle
    /// joints.
    private static let core = [0, 1, 2, 3, 5, 6, 9, 10, 13, 14, 17, 18]

    /// Creates the square of a hand: around the center of its palm, as large as the extent of the points in `core`. For another
    /// topology, the square is centered on the mean of all points and as large as their extent. Returns `nil` if there are no
    /// points. O(points).
    init?(_ points: [Landmarks.Point], isHand21: Bool, handedness: Double) {
        guard !points.isEmpty else { return nil }
        var (left, right, top, bottom) = (Double.infinity, -Double.infinity, Double.infinity, -Double.infinity)
        func add(_ point: Landmarks.Point) {
            left = min(left, point.x)
            right = max(right, point.x)
            top = min(top, point.y)
            bottom = max(bottom, point.y)
        }
        var (middle, count) = ((x: 0.0, y: 0.0), 0.0)
        func addToMiddle(_ point: Landmarks.Point) {
            // Use a running mean: a sum of large numbers would overflow.
            count += 1
            middle.x += (point.x - middle.x) / count
            middle.y += (point.y - middle.y) / count
        }
        if isHand21 {
            for index in Self.core { add(points[index]) }
            for index in Self.palm { addToMiddle(points[index]) }
        } else {
            for point in points {
                add(point)
                addToMiddle(point)
            }
        }
        place = HandPlace(x: middle.x, y: middle.y, side: max(right - left, bottom - top))
        self.points = points
        self.handedness = handedness
    }
}

extension Landmarks {
    /// What tracking compares; `nil` if there are no points.
    var seen: SeenHand? {
        SeenHand(
            points, isHand21: points.count == 21 && topology == Topology.hand21.identifier,
            handedness: signedHandedness)
    }
}

/// The state of one tracked hand.
struct HandTrack: Sendable {
    let id: Int

    /// The time at which the hand was last seen.
    private(set) var seen: Timestamp

    private var place: HandPlace
    /// The velocity, in coordinate units per second; `nil` until the hand was seen twice.
    private var velocity: (x: Double, y: Double)?
    /// The smoothed handedness, from −1 (left) to 1 (right).
    private var handedness: Double
    /// The points relative to the center of the square, in units of its side.
    private var shape: [(x: Double, y: Double)] = []

    init(id: Int, _ hand: SeenHand, _ time: Timestamp) {
        self.id = id
        place = hand.place
        seen = time
        handedness = hand.handedness
        setShape(hand.points)
    }

    /// Updates the track with a hand that was assigned to it.
    mutating func follow(_ hand: SeenHand, _ time: Timestamp) {
        let new = hand.place
        let elapsed = Double(time.microseconds(since: seen)) / 1e6
        if elapsed > 0 {
            let expected = expected(after: elapsed)
            let old = velocity ?? (0, 0)
            // The longer the time between two positions, the more reliable is the velocity computed from them. The first one
            // counts in full from 10 ms on: before that, it is mostly noise divided by a short time.
            let certainty = min(1, elapsed / 0.01)
            let share = velocity == nil ? certainty * certainty : elapsed / (elapsed + Self.steady)
            velocity = (
                old.x + share * (new.x - expected.x) / elapsed, old.y + share * (new.y - expected.y) / elapsed
            )
        }
        place = new
        seen = time
        handedness += 0.2 * (hand.handedness - handedness)
        setShape(hand.points)
    }

    /// Returns the cost of assigning a hand to this track, about 0 for the same hand, or `nil` if it cannot be the tracked hand.
    /// O(points).
    func cost(of hand: SeenHand, _ time: Timestamp, _ minOverlap: Double) -> Double? {
        let found = hand.place
        let elapsed = max(0, Double(time.microseconds(since: seen)) / 1e6)
        let expected = expected(after: elapsed)
        let size = max(expected.side, found.side)
        guard size > 0 else { return found.overlap(with: expected) >= minOverlap ? 0 : nil }
        let (dx, dy) = (found.x - expected.x, found.y - expected.y)
        let distance = (dx * dx + dy * dy).squareRoot() / size
        let (reach, growth) = reach(after: elapsed)
        // The expected square, moved and scaled toward the found one as far as a hand could have moved.
        let share = distance > reach ? reach / distance : 1
        let side = min(max(found.side, expected.side / growth), expected.side * growth)
        let nearest = HandPlace(x: expected.x + dx * share, y: expected.y + dy * share, side: side)
        // Two squares at the same place overlap by 1 only up to rounding.
        guard nearest.overlap(with: found) >= minOverlap - 1e-9 else { return nil }
        // Cap the distance, which has no limit if no overlap is required: `Assignment` takes large costs for impossible pairs.
        return min(distance, 50) + difference(from: hand) + 0.6 * max(0, -handedness * hand.handedness)
    }

    // MARK: - Motion

    // The time between two positions at which the velocity computed from them gets half of the weight, in seconds: about two frames
    // of a camera.
    private static let steady = 0.07

    private func expected(after elapsed: Double) -> HandPlace {
        guard let velocity else { return place }
        return HandPlace(x: place.x + velocity.x * elapsed, y: place.y + velocity.y * elapsed, side: place.side)
    }

    /// Returns how far a hand can be from its expected position, in sides of its square, and the factor by which the square can
    /// have changed.
    ///
    /// A hand is hardly faster than 15 of its sides (about 2 m) per second, and hardly accelerates by more than 80 sides per
    /// second². A fist opens within a quarter of a second.
    private func reach(after elapsed: Double) -> (distance: Double, growth: Double) {
        let fastest = 15 * elapsed
        let turning = 0.1 + 40 * elapsed * elapsed
        return (min(velocity == nil ? fastest : min(fastest, turning), 1.2), 1 + 4 * min(elapsed, 0.25))
    }

    // MARK: - Shape

    private mutating func setShape(_ points: [Landmarks.Point]) {
        shape.removeAll(keepingCapacity: true)
        guard place.side > 0 else { return }
        for point in points { shape.append(((point.x - place.x) / place.side, (point.y - place.y) / place.side)) }
    }

    /// Returns the mean distance of the points from their previous positions in the square, in sides; 0 if they cannot be compared.
    private func difference(from hand: SeenHand) -> Double {
        let place = hand.place
        guard hand.points.count == shape.count, !shape.isEmpty, place.side > 0 else { return 0 }
        var sum = 0.0
        for (point, old) in zip(hand.points, shape) {
            let dx = (point.x - place.x) / place.side - old.x
            let dy = (point.y - place.y) / place.side - old.y
            sum += (dx * dx + dy * dy).squareRoot()
        }
        // Cap the distance, so that outliers count for no more than a bad fit.
        return sum.isFinite ? min(sum / Double(shape.count), 2) : 2
    }
}

extension Landmarks {
    fileprivate var signedHandedness: Double {
        let score = min(max(handednessScore ?? 1, 0), 1)
        return switch handedness {
        case "Right", "right": score
        case "Left", "left": -score
        default: 0
        }
    }
}
