/// What happens to a late frame: one at or before a time that its stream has already passed.
public enum LatePolicy: String, Sendable, CaseIterable {
    /// The frame is dropped and counted.
    case drop
    /// The run fails.
    case fail
}
