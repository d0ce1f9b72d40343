import Pipeline

/// The gate of one hand.
struct GateState: Sendable {
    /// What became of landmarks at a gate.
    enum Outcome {
        /// They pass.
        case pass
        /// The last good ones stand in.
        case hold(Landmarks)
        /// They do not, for a reason.
        case fail(DropReason)
    }

    private var last = Landmarks.empty
    /// When the last good landmarks came, as long as they may be given again.
    private var lastTime: Timestamp?

    /// Whether bad landmarks would be bridged.
    private(set) var isOpen = false

    /// Decides on landmarks that came, or, without any, on a hand that did not.
    ///
    /// - Parameters:
    ///   - reason: Why they do not pass; `nil` when they do.
    ///   - holdMs: How long the last good landmarks stand in.
    ///   - releaseMs: How long they fade after that.
    mutating func decide(
        _ landmarks: Landmarks?, _ reason: DropReason?, at time: Timestamp, holdMs: Double, releaseMs: Double
    ) -> Outcome {
        guard let reason else {
            isOpen = true
            if let landmarks, holdMs + releaseMs > 0 {
                last.copy(landmarks)
                lastTime = time
            }
            return .pass
        }
        guard let lastTime else {
            isOpen = false
            return .fail(reason)
        }
        let late = Double(time.microseconds(since: lastTime)) / 1000 - holdMs
        guard late <= releaseMs else {
            self.lastTime = nil
            isOpen = false
            return .fail(reason)
        }
        var held = last
        held.doubt = "held"
        if late > 0 { held.fade(1 - late / releaseMs) }
        return .hold(held)
    }
}

extension Landmarks {
    /// Multiplies all confidences and scores by a share.
    fileprivate mutating func fade(_ share: Double) {
        for index in confidences.indices { confidences[index] *= share }
        score = score.map { $0 * share }
        presence = presence.map { $0 * share }
    }
}
