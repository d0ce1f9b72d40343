/// The gestures that MediaPipe's recognizer knows without being taught, told apart by the shape of the hand.
///
/// How sure a gesture is, is how sure the least sure of its conditions is; None is as sure as the best of them is unsure. So a hand
/// between two gestures, or one that a view hides, is None. O(1).
enum CannedGesture: Int, CaseIterable, Sendable {
    // In MediaPipe's order.
    case none, closedFist, openPalm, pointingUp, thumbDown, thumbUp, victory, iLoveYou

    /// The name that MediaPipe gives it.
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

    /// The name to show in a language; the gesture's own where there is none.
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

    /// How sure it is that a hand shows this gesture, in an image that may be turned by a quarter.
    ///
    /// Only of gestures that point up; a thumb down is told from a thumb up by nothing but the image.
    func score(turning pose: HandPose) -> Double {
        let upright = score(pose)
        guard self == .pointingUp || self == .thumbUp else { return upright }
        var (left, right) = (pose, pose)
        (left.up, right.up) = ((x: -1, y: 0), (x: 1, y: 0))
        return max(upright, score(left), score(right))
    }

    /// How sure it is that a hand shows this gesture.
    func score(_ pose: HandPose) -> Double {
        switch self {
        case .none: return 0
        case .closedFist: return min(pose.fist, pose.thumbIsIn)
        case .openPalm:
            return min(
                min(pose.extended(.index), pose.extended(.middle), pose.extended(.ring), pose.extended(.little)),
                pose.thumbIsBeside, pose.isNoPinch)
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
    /// How much all four fingers are curled.
    fileprivate var fist: Double { min(curled(.index), curled(.middle), curled(.ring), curled(.little)) }

    /// How much it is a fist with the thumb up (or down): the thumb points there and leads, and the palm lies on its side, the index
    /// finger's knuckle above the little finger's (or below).
    fileprivate func thumb(up isUp: Bool) -> Double {
        min(
            min(fist, thumbIsOut), ramp(thumbLead(up: isUp), 0, 0.2), points(up: isUp, 2, 4, from: 70, to: 45),
            points(up: isUp, 17, 5, from: 95, to: 75))
    }
}
