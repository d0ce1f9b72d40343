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

    private enum Phase {
        case closed
        /// The last landmarks passed.
        case open
        /// The last landmarks were bad and were replaced.
        case holding
    }

    private let holdMs: Double
    private let releaseMs: Double
    private var phase = Phase.closed
    private var last = Landmarks.empty
    /// The time of the last good landmarks; `nil` if none were kept.
    private var lastTime: Timestamp?

    init(_ options: Gate.Options) { (holdMs, releaseMs) = (options.holdMs, options.releaseMs) }

    /// Returns whether the gate is open for landmarks at a time: good landmarks passed and, if bad ones followed, their hold and
    /// release times are not over.
    func isOpen(at time: Timestamp) -> Bool { phase == .open || phase == .holding && msAfterHold(at: time) != nil }

    /// Returns how long ago the hold time has ended, in milliseconds, negative before that; `nil` if the release time is over too, or
    /// nothing was kept.
    private func msAfterHold(at time: Timestamp) -> Double? {
        guard let lastTime else { return nil }
        let late = Double(time.microseconds(since: lastTime)) / 1000 - holdMs
        return late <= releaseMs ? late : nil
    }

    /// Decides what is emitted for landmarks, or for a hand that is absent. `reason` is the reason why the landmarks do not pass,
    /// or `nil` if they pass.
    mutating func decide(_ reason: DropReason?, at time: Timestamp) -> Outcome {
        guard let reason else {
            phase = .open
            return .pass
        }
        guard let late = msAfterHold(at: time) else {
            phase = .closed
            return .fail(reason)
        }
        phase = .holding
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
