/// The rules by which a run takes frames from a source.
struct SourceIntake {
    /// What happens to frames that are out of order.
    var rules: SourceRules
    /// The number of frames after which the source stops; `nil` for no limit.
    var limit: Int64?
    /// The time after which a stream without frames ends, in milliseconds; `nil` for never.
    var idleMs: Double?
    /// The times of the source's streams, in a live run.
    var liveTime: LiveTime?
    /// What happens to a late frame: a frame at or before the watermark of its live stream.
    var onLate = LatePolicy.drop
}
