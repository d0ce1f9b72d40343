/// What happens to a late frame: a frame at or before the watermark of its live stream.
public enum LatePolicy: String, Sendable, CaseIterable {
    /// The frame is dropped and counted.
    case drop
    /// The run fails.
    case fail
}
