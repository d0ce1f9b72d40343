import Pipeline

/// The state of the gate of one hand.
struct GateState: Sendable {
    /// The decision of a gate on landmarks.
    enum Outcome {
        /// The landmarks pass.
        case pass
        /// The last good landmarks are emitted instead.
        case hold(Landmarks)
        /// The landmarks do not pass, for a reason.
        case fail(DropReason)
    }

    private var last = Landmarks.empty
    /// The time of the last good landmarks, as long as they may be emitted again.
    private var lastTime: Timestamp?

    /// Whether the gate is open: good landmarks passed, and their hold and release times are not over.
    private(set) var isOpen = false

    /// Decides what is emitted for landmarks, or for a hand that is absent.
    ///
    /// - Parameters:
    ///   - reason: The reason why the landmarks do not pass; `nil` if they pass.
    ///   - holdMs: The time for which the last good landmarks replace bad ones, in milliseconds.
    ///   - releaseMs: The time after `holdMs` during which the repeated landmarks fade, in milliseconds.
    mutating func decide(
        _ reason: DropReason?, at time: Timestamp, holdMs: Double, releaseMs: Double
    ) -> Outcome {
        guard let reason else {
            isOpen = true
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

    /// Keeps landmarks that passed, to emit them again.
    mutating func keep(_ landmarks: Landmarks, at time: Timestamp) {
        last.copy(landmarks)
        lastTime = time
    }
}

extension Landmarks {
    /// Multiplies all confidences and scores by a factor.
    fileprivate mutating func fade(_ share: Double) {
        for index in confidences.indices { confidences[index] *= share }
        score = score.map { $0 * share }
        presence = presence.map { $0 * share }
    }
}
