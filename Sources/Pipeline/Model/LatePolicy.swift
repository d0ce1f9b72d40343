/// What happens to a late frame: its stream's time has already passed its timestamp.
public enum LatePolicy: String, Sendable, CaseIterable {
    /// The frame is dropped and counted.
    case drop
    /// The run fails.
    case fail
}
