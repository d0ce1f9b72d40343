/// What becomes of a frame whose timestamp breaks its stream's order.
public enum DisorderPolicy: String, Sendable, CaseIterable {
    /// It fails, and `on_error` decides.
    case error
    /// It is dropped and counted.
    case drop
    /// It is stamped one microsecond after the last.
    case clamp
    /// Its stream ends and starts over.
    case newEpoch = "new_epoch"
}
