import Pipeline

extension SourceRules {
    /// The rules for recordings, and for what is recorded: no frame is lost because of its timestamp. A timestamp that goes back
    /// begins a new epoch, because several recordings may follow each other. A pause may be of any length.
    package static let ofRecordings = SourceRules(onDisorder: .newEpoch, maxJump: .max)
}
