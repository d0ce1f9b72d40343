/// What happens to a frame whose timestamp violates its stream's order.
public enum DisorderPolicy: String, Sendable, CaseIterable {
    /// The frame fails, and `on_error` determines what happens next.
    case error
    /// The frame is dropped and counted.
    case drop
    /// The frame's timestamp is set to one microsecond after the previous one.
    case clamp
    /// The stream ends and starts again.
    case newEpoch = "new_epoch"
}
