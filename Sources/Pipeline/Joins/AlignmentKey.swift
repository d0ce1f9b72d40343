/// The position of a frame in the order of an aligned join's sets.
struct AlignmentKey: Comparable {
    /// The frame's timestamp, or the time of its lane if the lane had already reached it.
    var time: Timestamp

    /// 0 for a frame after the time of its lane; 1, 2, … for the following frames at that time.
    var rank: Int32 = 0

    static func < (a: AlignmentKey, b: AlignmentKey) -> Bool { a.time == b.time ? a.rank < b.rank : a.time < b.time }
}
