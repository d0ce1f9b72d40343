/// What happens to a late frame, whose timestamp its stream's time has already passed.
public enum LatePolicy: String, Sendable, CaseIterable {
    /// The frame is dropped and counted.
    case drop
    /// The run fails.
    case fail
}
