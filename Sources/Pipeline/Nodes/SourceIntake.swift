/// Which frames of a source the run takes, and how it treats their times.
struct SourceIntake {
    /// What happens to frames that are out of order.
    var rules: SourceRules
    /// The number of frames after which the source stops; `nil` for no limit.
    var limit: Int64?
    /// The time after which a stream without frames ends, in milliseconds; `nil` for never.
    var idleMs: Double?
    /// The times of the source's streams, in a live run.
    var liveTime: LiveTime?
    /// What happens to a frame that comes after the time of its stream has passed it.
    var onLate = LatePolicy.drop
}
