/// The position of a frame in the order of an aligned join's sets.
struct AlignmentKey: Comparable {
    /// The frame's timestamp, or the time that its lane had reached if that time is not earlier.
    var time: Timestamp

    /// 0 for a frame after the time that its lane had reached; 1, 2, … for further frames at or before that time.
    var rank: Int32 = 0

    static func < (a: AlignmentKey, b: AlignmentKey) -> Bool { a.time == b.time ? a.rank < b.rank : a.time < b.time }
}
