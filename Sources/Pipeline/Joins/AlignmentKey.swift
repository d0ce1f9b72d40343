/// The place of a frame in the order of an aligned input's sets.
struct AlignmentKey: Comparable {
    /// Its time, or that of its lane when the lane had come as far already.
    var time: Timestamp

    /// 0 for the first frame of a lane at a time it had not reached, and so on.
    var rank: Int32 = 0

    static func < (a: AlignmentKey, b: AlignmentKey) -> Bool { a.time == b.time ? a.rank < b.rank : a.time < b.time }
}
