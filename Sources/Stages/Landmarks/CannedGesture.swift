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

    /// Returns how certain it is that a hand shows this gesture, in an image that may be rotated by 90°.
    ///
    /// The rotated images are tried only for gestures that point up. Thumb_Down is tested upright only, because nothing but the
    /// orientation of the image distinguishes it from Thumb_Up.
    func score(turning pose: HandPose) -> Double {
        let upright = score(pose)
        guard self == .pointingUp || self == .thumbUp else { return upright }
        var (left, right) = (pose, pose)
        (left.up, right.up) = ((x: -1, y: 0), (x: 1, y: 0))
        return max(upright, score(left), score(right))
    }

    /// Returns how certain it is that a hand shows this gesture, from 0 to 1.
    func score(_ pose: HandPose) -> Double {
        switch self {
        case .none: return 0
        case .closedFist: return min(pose.fist, pose.thumbIsIn)
        case .openPalm:
            return min(
                min(pose.extended(.index), pose.extended(.middle), pose.extended(.ring), pose.extended(.little)),
                pose.thumbIsBeside, pose.thumbIsOffIndex)
        case .pointingUp:
            return min(
                pose.extended(.index), min(pose.curled(.middle), pose.curled(.ring), pose.curled(.little)),
                pose.points(up: true, 5, 8, from: 75, to: 45), pose.thumbIsNotSpread)
        case .thumbUp: return pose.thumb(up: true)
        case .thumbDown: return pose.thumb(up: false)
        case .victory:
            return min(
                min(pose.extended(.index), pose.extended(.middle)), min(pose.curled(.ring), pose.curled(.little)),
                pose.victorySpread)
        case .iLoveYou:
            return min(
                min(pose.extended(.index), pose.extended(.little)), min(pose.curled(.middle), pose.curled(.ring)),
                pose.thumbIsOut)
        }
    }
}

extension HandPose {
    /// How certain it is that all four fingers are curled.
    fileprivate var fist: Double { min(curled(.index), curled(.middle), curled(.ring), curled(.little)) }

    /// Returns how certain it is that the hand is a fist with the thumb up (or down).
    ///
    /// The thumb points up (or down), and its tip is above (or below) the rest of the hand. The hand stands on its side, with the
    /// knuckle of the index finger above (or below) the knuckle of the little finger.
    fileprivate func thumb(up isUp: Bool) -> Double {
        min(
            min(fist, thumbIsOut), ramp(thumbLead(up: isUp), 0, 0.2), points(up: isUp, 2, 4, from: 70, to: 45),
            points(up: isUp, 17, 5, from: 95, to: 75))
    }
}
