/// The place of what a source brought in the order in which merges and joins of a batch run take things.
///
/// Branches of one source see the same ranks, so they are taken in step; several sources are taken by time. The order is the
/// same everywhere in the graph: nothing waits for what can only come after it.
struct SourceRank: Comparable, Sendable {
    /// The largest timestamp the source has brought so far, of whatever stream.
    var time = Timestamp.beforeAll

    /// How many items the source has brought since that time advanced.
    var index: Int64 = -1

    /// The least rank that can come after this one.
    var successor: SourceRank { SourceRank(time: time, index: index + 1) }

    /// The rank of the next item of the source, which has a timestamp or none.
    func next(at timestamp: Timestamp?) -> SourceRank {
        guard let timestamp, timestamp > time else { return successor }
        return SourceRank(time: timestamp, index: 0)
    }

    static func < (a: SourceRank, b: SourceRank) -> Bool { a.time == b.time ? a.index < b.index : a.time < b.time }
}
