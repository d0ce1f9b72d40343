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
    /// The fingers, without the thumb.
    enum Finger: Int, CaseIterable {
        case index, middle, ring, little

        /// The landmark index of the finger's knuckle (MCP). The finger's other joints and its tip follow.
        var knuckle: Int { 5 + 4 * rawValue }
    }

    private let points: UnsafeBufferPointer<Landmarks.Point>
    private let usesDepth: Bool
    private let palm: Double
    /// The direction in the image that counts as up, a unit vector.
    var up = (x: 0.0, y: -1.0)
    /// The confidence of each landmark; empty if there are none.
    private let confidences: UnsafeBufferPointer<Double>

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
    }

    private func isThere(_ place: Int) -> Bool { confidences.count != 21 || confidences[place] > 0 }

    private func isThere(_ finger: Finger) -> Bool {
        isThere(0) && (0..<4).allSatisfy { isThere(finger.knuckle + $0) }
    }

    private var isThumbThere: Bool { (1...4).allSatisfy { isThere($0) } }

    /// Returns the distance between two landmarks, in palms.
    func distance(_ a: Int, _ b: Int) -> Double { points[a].distance(to: points[b], usesDepth) / palm }

    /// Returns the distance of a fingertip from the wrist, divided by the distance of the finger's middle joint from the wrist.
    private func reach(_ finger: Finger) -> Double {
        let middle = distance(0, finger.knuckle + 1)
        return middle > 0 ? distance(0, finger.knuckle + 3) / middle : 0
    }

    /// Returns how certain it is that a finger is extended.
    func extended(_ finger: Finger) -> Double {
        guard isThere(finger) else { return 0 }
        let first = finger.knuckle
        let bones = distance(first, first + 1) + distance(first + 1, first + 2) + distance(first + 2, first + 3)
        let straightness = bones > 0 ? distance(first, first + 3) / bones : 0
        return min(ramp(reach(finger), 1.02, 1.18), ramp(straightness, 0.7, 0.9))
    }

    /// Returns how certain it is that a finger is curled.
    func curled(_ finger: Finger) -> Double {
        isThere(finger) ? 1 - ramp(reach(finger), 0.85, 1.1) : 0
    }

    /// The distance, in palms, of the thumb's tip from the nearest landmark on which it rests in a fist: the knuckles and middle
    /// joints of index and middle finger, and the ring finger's middle joint.
    private var thumbGap: Double {
        min(distance(4, 5), distance(4, 6), distance(4, 9), min(distance(4, 10), distance(4, 14)))
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

    /// Returns how certain it is that the direction from one landmark to another is up (or down): 0 if it deviates by `from`
    /// degrees or more, 1 if it deviates by `to` degrees or less.
    func points(up isUp: Bool, _ start: Int, _ end: Int, from: Double, to: Double) -> Double {
        let length = points[start].distance(to: points[end], usesDepth)
        guard length > 0 else { return 0 }
        let rise = height(of: end, over: start) / length * (isUp ? 1 : -1)
        return ramp(rise, cos(from * .pi / 180), cos(to * .pi / 180))
    }

    /// Returns how far the thumb's tip is above the highest (or below the lowest) other landmark, in palms. The joint next to the
    /// tip does not count.
    func thumbLead(up isUp: Bool) -> Double {
        var lead = Double.infinity
        for place in points.indices where place != 3 && place != 4 {
            lead = min(lead, height(of: 4, over: place) * (isUp ? 1 : -1))
        }
        return lead / palm
    }

    /// Returns how far a landmark is above another.
    private func height(of place: Int, over other: Int) -> Double {
        (points[place].x - points[other].x) * up.x + (points[place].y - points[other].y) * up.y
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
