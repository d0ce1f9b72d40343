/// One edge of an aligned join, with the items that have not entered the ``AlignmentState`` yet.
struct AlignedLane {
    var reader: EdgeReader
    /// The maximum number of frames that may wait for a set: in the whole lane in a batch run, in each stream otherwise.
    var room: Int { reader.edge.policy.roomInJoin }
    /// Whether the state knows that the lane has ended.
    var hasEnded = false
    /// The time on the run's clock at which the edge last delivered a frame. Watermarks do not count: the join itself asks for them.
    var activeAt: Int64
    /// Whether the edge has been silent for so long that the other lanes no longer wait for it.
    var isIdle = false

    /// The time at which the lane becomes idle unless a frame arrives; `nil` if it has no idle timeout, has items, has ended, or
    /// is idle already.
    var idleAt: Int64? {
        guard let timeout = reader.edge.policy.idleTimeoutMs, reader.waiting.isEmpty, !reader.hasFinished, !isIdle
        else {
            return nil
        }
        return activeAt &+ Int64(min(timeout, 1e9) * 1_000_000)
    }

    /// Reads more if no item waits.
    mutating func refill() {
        if reader.waiting.isEmpty, reader.read() == .items, reader.hasFrame { isIdle = false }
    }
}
