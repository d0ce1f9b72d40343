#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The pose of a hand: the state of its fingers and their directions, as degrees of certainty from 0 to 1, computed from lengths
/// and angles alone.
///
/// The pose is measured in world space if there are world coordinates, otherwise in the plane of the image. Lengths are in palms. A
/// palm is the largest distance between any two of the wrist and the knuckles; hardly any view foreshortens this distance. y grows
/// downward.
///
/// A finger is **extended** if it is straight and its tip is farther from the wrist than its middle joint (PIP). A finger is
/// **curled** if its tip is nearer to the wrist than this joint. These comparisons hold for hands of all proportions, and for all
/// views except those along the finger.
struct HandPose {
    /// How certain it is that a finger is extended, and that it is curled.
    struct Finger {
        var extended = 0.0
        var curled = 0.0
    }

    /// A direction in the image.
    enum Direction {
        case up, down, left, right

        fileprivate var vector: (x: Double, y: Double) {
            switch self {
            case .up: (0, -1)
            case .down: (0, 1)
            case .left: (-1, 0)
            case .right: (1, 0)
            }
        }
    }

    private let points: UnsafeBufferPointer<Landmarks.Point>
    private let usesDepth: Bool
    private let palm: Double
    /// The confidence of each landmark; empty if there are none.
    private let confidences: UnsafeBufferPointer<Double>

    // Computed once, because several gestures depend on each of them.
    private(set) var index = Finger()
    private(set) var middle = Finger()
    private(set) var ring = Finger()
    private(set) var little = Finger()
    /// The distance, in palms, of the thumb's tip from the nearest landmark on which it rests in a fist: the knuckles and middle
    /// joints of index and middle finger, and the ring finger's middle joint.
    private var thumbGap = 0.0
    private var isThumbThere = false

    /// Creates the pose of a hand.
    ///
    /// - Parameters:
    ///   - points: 21 landmarks.
    ///   - confidences: The detector's confidence of each landmark, or an empty buffer. A landmark with confidence 0 counts as
    ///     absent.
    ///   - usesDepth: Whether z is as reliable as x and y.
    /// - Returns: `nil` for a hand whose palm has no extent.
    init?(
        _ points: UnsafeBufferPointer<Landmarks.Point>, _ confidences: UnsafeBufferPointer<Double>, usesDepth: Bool
    ) {
        guard points.count == 21 else { return nil }
        self.points = points
        self.confidences = confidences
        self.usesDepth = usesDepth
        var largest = 0.0
        // The wrist and the knuckles.
        for a in stride(from: 5, through: 17, by: 4) {
            largest = max(largest, points[0].distance(to: points[a], usesDepth))
            for b in stride(from: a + 4, through: 17, by: 4) {
                largest = max(largest, points[a].distance(to: points[b], usesDepth))
            }
        }
        palm = largest
        guard palm > 0 else { return nil }
        (index, middle, ring, little) = (finger(from: 5), finger(from: 9), finger(from: 13), finger(from: 17))
        thumbGap = min(distance(4, 5), distance(4, 6), distance(4, 9), min(distance(4, 10), distance(4, 14)))
        isThumbThere = areThere(1...4)
    }

    private func areThere(_ places: ClosedRange<Int>) -> Bool {
        confidences.count != 21 || confidences[places].allSatisfy { $0 > 0 }
    }

    /// Returns the distance between two landmarks, in palms.
    func distance(_ a: Int, _ b: Int) -> Double { points[a].distance(to: points[b], usesDepth) / palm }

    /// Returns the state of a finger.
    ///
    /// - Parameter knuckle: The finger's knuckle (MCP). The finger's other joints and its tip follow.
    private func finger(from knuckle: Int) -> Finger {
        let tip = knuckle + 3
        guard areThere(0...0), areThere(knuckle...tip) else { return Finger() }
        // The distance of the tip from the wrist, divided by the distance of the middle joint from the wrist.
        let middle = distance(0, knuckle + 1)
        let reach = middle > 0 ? distance(0, tip) / middle : 0
        let bones =
            distance(knuckle, knuckle + 1) + distance(knuckle + 1, knuckle + 2) + distance(knuckle + 2, tip)
        let straightness = bones > 0 ? distance(knuckle, tip) / bones : 0
        return Finger(
            extended: min(ramp(reach, 1.02, 1.18), ramp(straightness, 0.7, 0.9)), curled: 1 - ramp(reach, 0.85, 1.1))
    }

    /// How certain it is that the thumb is away from the other fingers.
    var thumbIsOut: Double { isThumbThere ? ramp(thumbGap, 0.35, 0.6) : 0 }

    /// How certain it is that the thumb rests on the other fingers, as in a fist.
    var thumbIsIn: Double { isThumbThere ? 1 - ramp(thumbGap, 0.4, 0.65) : 0 }

    /// How certain it is that the thumb does not point away from the hand like a separate finger.
    var thumbIsNotSpread: Double { isThumbThere ? 1 - ramp(thumbGap, 0.6, 0.9) : 0 }

    /// How certain it is that the thumb is beside the palm, not across it.
    var thumbIsBeside: Double { isThumbThere ? ramp(distance(4, 17), 0.45, 0.75) : 0 }

    /// How certain it is that the tips of thumb and index finger do not touch.
    var thumbIsOffIndex: Double { isThumbThere ? ramp(distance(4, 8), 0.2, 0.45) : 0 }

    /// Returns how certain it is that one landmark is in a direction from another: 0 if it deviates by `from` degrees or more, 1 if
    /// it deviates by `to` degrees or less.
    func points(_ direction: Direction, _ start: Int, _ end: Int, from: Double, to: Double) -> Double {
        let length = points[start].distance(to: points[end], usesDepth)
        guard length > 0 else { return 0 }
        let rise = advance(of: end, from: start, direction) / length
        return ramp(rise, cos(from * .pi / 180), cos(to * .pi / 180))
    }

    /// Returns how far the thumb's tip is ahead of all other landmarks in a direction, in palms. The joint next to the tip does not
    /// count.
    func thumbLead(_ direction: Direction) -> Double {
        var lead = Double.infinity
        for place in points.indices where place != 3 && place != 4 {
            lead = min(lead, advance(of: 4, from: place, direction))
        }
        return lead / palm
    }

    /// Returns how far a landmark is ahead of another in a direction.
    private func advance(of place: Int, from other: Int, _ direction: Direction) -> Double {
        let vector = direction.vector
        return (points[place].x - points[other].x) * vector.x + (points[place].y - points[other].y) * vector.y
    }

    /// How certain it is that index and middle finger are spread.
    var victorySpread: Double {
        let (a, b) = (points[8].minus(points[5]), points[12].minus(points[9]))
        let origin = Landmarks.Point(x: 0, y: 0)
        return ramp(origin.angle(from: a, to: b, usesDepth) ?? 0, 4, 10)
    }
}

/// Returns a linear ramp: 0 up to `low`, 1 from `high` on. Returns 0 for NaN.
func ramp(_ value: Double, _ low: Double, _ high: Double) -> Double {
    min(1, max(0, (value - low) / (high - low)))
}
