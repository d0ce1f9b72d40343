/// The rule of an aligned join, and the part of its lanes' state that concerns all streams.
struct AlignmentLanes {
    let rule: Alignment.Rule

    /// The largest time between two frames of a set, in microseconds.
    let tolerance: Int64

    let watermarks: Watermarks

    /// The watermark that each lane has announced for all its streams.
    var bounds: [Timestamp]

    /// Which lanes have ended.
    var ended: [Bool]

    /// Which lanes are idle: silent for so long that the other lanes no longer wait for them.
    var idle: [Bool]

    /// For each lane, the number of waiting frames plus the number of items that wait for the next epoch of their stream.
    var held: [Int]

    /// The number of frames that became part of a set and were not reported yet.
    var used = 0

    init(_ alignment: Alignment, count: Int, watermarks: Watermarks) {
        rule = alignment.rule
        tolerance = alignment.rule == .approximate ? Int64(max(0, min(alignment.toleranceMs, 9e12)) * 1000) : 0
        self.watermarks = watermarks
        bounds = Array(repeating: .beforeAll, count: count)
        ended = Array(repeating: false, count: count)
        idle = Array(repeating: false, count: count)
        held = Array(repeating: 0, count: count)
    }

    /// Returns whether the other lanes need not wait for a lane, because it has ended or is idle. If all lanes are idle and none
    /// has ended, no lane counts as ended, so no set is made. The frames of a lane that has ended do not wait for idle lanes.
    func countsAsEnded(_ lane: Int) -> Bool {
        if ended[lane] { return true }
        guard idle[lane] else { return false }
        return idle.indices.contains { !idle[$0] || ended[$0] }
    }
}
