/// The state of the lanes of an aligned join that concerns all streams.
struct AlignmentLanes {
    /// The watermark that each lane has announced for all its streams.
    var bounds: [Timestamp]

    /// Which lanes have ended.
    var ended: [Bool]

    /// Which lanes have been silent for so long that the others no longer wait for them.
    var idle: [Bool]

    /// The number of waiting frames in each lane, and of items of streams that began again.
    var held: [Int]

    /// The number of frames that became part of a set.
    var used = 0

    init(count: Int) {
        bounds = Array(repeating: .beforeAll, count: count)
        ended = Array(repeating: false, count: count)
        idle = Array(repeating: false, count: count)
        held = Array(repeating: 0, count: count)
    }

    /// Whether the other lanes do not wait for this one: it has ended or is idle. If all lanes are idle, none counts as ended, so
    /// that nothing is decided. A lane that has ended is not idle; its frames still wait for the other lanes.
    func countsAsEnded(_ lane: Int) -> Bool {
        if ended[lane] { return true }
        guard idle[lane] else { return false }
        return idle.indices.contains { !idle[$0] || ended[$0] }
    }
}
