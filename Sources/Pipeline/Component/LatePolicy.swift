/// What becomes of a frame that comes after the time of its stream has passed it.
public enum LatePolicy: String, Sendable, CaseIterable {
    /// It is dropped and counted.
    case drop
    /// The run fails.
    case fail
}
