/// The gestures that MediaPipe's recognizer knows without training, recognized by the shape of the hand.
///
/// The score of a gesture is the score of its least certain condition. The score of None is 1 minus the best score of all gestures.
/// A hand between two gestures, or one that is partly hidden from the camera, is therefore None. Complexity: O(1).
enum CannedGesture: Int, CaseIterable, Sendable {
    // In MediaPipe's order.
    case none, closedFist, openPalm, pointingUp, thumbDown, thumbUp, victory, iLoveYou

    /// The name of the gesture in MediaPipe.
    var name: String {
        switch self {
        case .none: "None"
        case .closedFist: "Closed_Fist"
        case .openPalm: "Open_Palm"
        case .pointingUp: "Pointing_Up"
        case .thumbDown: "Thumb_Down"
        case .thumbUp: "Thumb_Up"
        case .victory: "Victory"
        case .iLoveYou: "ILoveYou"
        }
    }

    /// Returns the display name in a language, or MediaPipe's name if there is no translation.
    func displayName(locale: String?) -> String {
        let language = (locale ?? "").prefix { $0 != "-" && $0 != "_" }
        let names: [String]
        switch language {
        case "en":
            names = [
                "None", "Closed fist", "Open palm", "Pointing up", "Thumb down", "Thumb up", "Victory", "I love you",
            ]
        case "de":
            names = [
                "Nichts", "Faust", "Offene Hand", "Zeigefinger nach oben", "Daumen nach unten", "Daumen nach oben",
                "Victory", "Ich liebe dich",
            ]
        default: return name
        }
        return names[rawValue]
    }

    /// Returns how certain it is that a hand shows this gesture, from 0 to 1.
    ///
    /// - Parameter isTurned: Whether the image may be rotated by 90°. Then gestures that point up may also point sideways.
    ///   Thumb_Down must point down, because nothing but the orientation of the image distinguishes it from Thumb_Up.
    func score(_ pose: HandPose, isTurned: Bool) -> Double {
        let shape = shape(of: pose)
        // The rest takes longer, and cannot raise a certainty of 0.
        guard shape > 0 else { return 0 }
        switch self {
        case .none, .closedFist, .openPalm, .iLoveYou: return shape
        case .victory: return min(shape, pose.victorySpread)
        case .thumbDown: return min(shape, direction(of: pose, .down))
        case .pointingUp, .thumbUp:
            let up = direction(of: pose, .up)
            return min(shape, isTurned ? max(up, direction(of: pose, .left), direction(of: pose, .right)) : up)
        }
    }

    /// Returns how certain it is that the fingers have the positions of this gesture, whatever their direction.
    private func shape(of pose: HandPose) -> Double {
        let (index, middle, ring, little) = (pose.index, pose.middle, pose.ring, pose.little)
        switch self {
        case .none: return 0
        case .closedFist: return min(pose.fist, pose.thumbIsIn)
        case .openPalm:
            return min(
                min(index.extended, middle.extended, ring.extended, little.extended), pose.thumbIsBeside,
                pose.thumbIsOffIndex)
        case .pointingUp:
            return min(index.extended, min(middle.curled, ring.curled, little.curled), pose.thumbIsNotSpread)
        case .thumbUp, .thumbDown: return min(pose.fist, pose.thumbIsOut)
        case .victory: return min(index.extended, middle.extended, ring.curled, little.curled)
        case .iLoveYou:
            return min(min(index.extended, little.extended), min(middle.curled, ring.curled), pose.thumbIsOut)
        }
    }

    /// Returns how certain it is that the index finger (for Pointing_Up) or the thumb points in a direction.
    ///
    /// The tip of such a thumb is ahead of the rest of the hand, and the hand stands on its side, with the knuckle of the index
    /// finger ahead of the knuckle of the little finger.
    private func direction(of pose: HandPose, _ direction: HandPose.Direction) -> Double {
        if self == .pointingUp { return pose.points(direction, 5, 8, from: 75, to: 45) }
        return min(
            ramp(pose.thumbLead(direction), 0, 0.2), pose.points(direction, 2, 4, from: 70, to: 45),
            pose.points(direction, 17, 5, from: 95, to: 75))
    }
}

extension HandPose {
    /// How certain it is that all four fingers are curled.
    fileprivate var fist: Double { min(index.curled, middle.curled, ring.curled, little.curled) }
}
