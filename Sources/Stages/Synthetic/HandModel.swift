import Pipeline
import PipelineComponents

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A kinematic model of a hand: converts joint angles to 21 points.
///
/// The lengths of the fingers' bones are the means of Buryanov and Kotiuk, "Proportions of Hand Segments" (Int. J. Morphol. 28(3),
/// 2010). The positions of the knuckles in the palm are this project's own. Each finger bends in the plane that contains the finger
/// and is perpendicular to the palm; the thumb bends across the palm.
struct HandModel: Sendable {
    /// A position or a direction of a right hand, in meters: x toward the thumb, y toward the fingers, z out of the palm.
    typealias Vector = SIMD3<Double>

    /// The bend of one digit at its three joints, in degrees. `base` is the bend at the joint next to the palm; for the thumb, it
    /// is the angle between thumb and hand.
    struct Digit: Hashable, Sendable {
        var base: Double
        var middle: Double
        var tip: Double

        /// Returns the linear interpolation to another digit, at a fraction of the way.
        func mixed(with other: Digit, _ share: Double) -> Digit {
            func mix(_ a: Double, _ b: Double) -> Double { a + (b - a) * share }
            return Digit(base: mix(base, other.base), middle: mix(middle, other.middle), tip: mix(tip, other.tip))
        }
    }

    /// The pose of a whole hand.
    struct Pose: Hashable, Sendable {
        /// The thumb, index, middle, ring and little finger.
        var digits: [Digit]

        /// The angle between neighboring fingers, in degrees.
        var spread: Double

        /// The rotation of the hand in the image, in degrees from fingers up, toward the thumb's side.
        var roll: Double

        /// Returns the linear interpolation to another pose, at a fraction of the way.
        func mixed(with other: Pose, _ share: Double) -> Pose {
            Pose(
                digits: zip(digits, other.digits).map { $0.mixed(with: $1, share) },
                spread: spread + (other.spread - spread) * share, roll: roll + (other.roll - roll) * share)
        }
    }

    /// The length from the wrist to the middle finger's tip, in meters.
    static let length = 0.176

    private static let knuckles: [Vector] = [
        [0.026, 0.085, 0], [0.004, 0.088, 0.002], [-0.016, 0.081, 0.001], [-0.034, 0.070, -0.003],
    ]
    private static let bones: [[Double]] = [
        [0.0398, 0.0224, 0.0158], [0.0446, 0.0263, 0.0174], [0.0414, 0.0257, 0.0173], [0.0327, 0.0181, 0.0160],
    ]
    private static let thumbRoot: Vector = [0.022, 0.018, 0.008]
    private static let thumbBones = [0.0462, 0.0316, 0.0217]

    /// Returns the 21 points of a right hand in MediaPipe's order, in meters from the wrist.
    static func points(_ pose: Pose) -> [Vector] {
        var points: [Vector] = [[0, 0, 0], thumbRoot]
        let digits = pose.digits
        // The thumb's first bone leaves the hand at an angle in the palm's plane. The other bones bend across the palm.
        let off = radians(digits[0].base)
        let first: Vector = [sin(off) * 0.94, cos(off) * 0.94, 0.34]
        let across: Vector = [-cos(off) * 0.87, sin(off) * 0.3, 0.4]
        var (place, angle) = (thumbRoot, 0.0)
        for (bone, bend) in zip(thumbBones, [0, digits[0].middle, digits[0].tip]) {
            angle += radians(bend)
            place += unit(first * cos(angle) + across * sin(angle)) * bone
            points.append(place)
        }
        for finger in 0..<4 {
            // The middle finger points straight ahead.
            let aside = radians(pose.spread * Double(1 - finger))
            let along: Vector = [sin(aside), cos(aside), 0]
            (place, angle) = (knuckles[finger], 0)
            points.append(place)
            let digit = digits[finger + 1]
            for (bone, bend) in zip(bones[finger], [digit.base, digit.middle, digit.tip]) {
                angle += radians(bend)
                place += (along * cos(angle) + [0, 0, 1] * sin(angle)) * bone
                points.append(place)
            }
        }
        return points
    }

    private static func radians(_ degrees: Double) -> Double { degrees * .pi / 180 }

    private static func unit(_ vector: Vector) -> Vector { vector / (vector * vector).sum().squareRoot() }
}

/// A gesture that the synthetic hand can show: one of MediaPipe's.
public enum SyntheticGesture: String, OptionChoice {
    /// All fingers straight.
    case openPalm = "Open_Palm"
    /// All fingers bent.
    case closedFist = "Closed_Fist"
    /// The index finger straight, upward.
    case pointingUp = "Pointing_Up"
    /// Index and middle finger straight and spread.
    case victory = "Victory"
    /// A fist with the thumb up.
    case thumbUp = "Thumb_Up"
    /// A fist with the thumb down.
    case thumbDown = "Thumb_Down"
    /// Thumb, index and little finger straight.
    case iLoveYou = "ILoveYou"

    /// The pose of the hand.
    var pose: HandModel.Pose {
        switch self {
        case .openPalm: Self.pose("|||||", spread: 9)
        case .closedFist: Self.pose("-----")
        case .pointingUp: Self.pose("-|---")
        case .victory: Self.pose("-||--", spread: 14)
        case .thumbUp: Self.pose("L----", roll: -72)
        case .thumbDown: Self.pose("L----", roll: 108)
        case .iLoveYou: Self.pose("||--|", spread: 7)
        }
    }

    private static func pose(_ digits: String, spread: Double = 3, roll: Double = 0) -> HandModel.Pose {
        let digits = digits.enumerated().map { place, digit -> HandModel.Digit in
            switch (place, digit) {
            case (0, "|"): .init(base: 52, middle: 4, tip: 2)
            case (0, "L"): .init(base: 70, middle: 2, tip: 0)
            case (0, _): .init(base: 28, middle: 42, tip: 45)
            case (_, "|"): .init(base: 6, middle: 6, tip: 4)
            default: .init(base: 78, middle: 98, tip: 62)
            }
        }
        return HandModel.Pose(digits: digits, spread: spread, roll: roll)
    }
}
