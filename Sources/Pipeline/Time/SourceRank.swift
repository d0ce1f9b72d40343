/// The position of a source's item in the order in which the merges and joins of a batch run process items.
///
/// All branches of one source see the same ranks, so a merge or join reads the branches in step. Items of several sources are
/// ordered by time. The order is the same everywhere in the graph, so no item ever waits for an item that can only arrive after it.
struct SourceRank: Comparable, Sendable {
    /// The largest timestamp that the source has produced so far, in any stream.
    var time = Timestamp.beforeAll

    /// The number of items that the source has produced since that time advanced.
    var index: Int64 = -1

    /// The lowest rank that can follow this one.
    var successor: SourceRank { SourceRank(time: time, index: index + 1) }

    /// Returns the rank of the source's next item, which may or may not have a timestamp.
    func next(at timestamp: Timestamp?) -> SourceRank {
        guard let timestamp, timestamp > time else { return successor }
        return SourceRank(time: timestamp, index: 0)
    }

    static func < (a: SourceRank, b: SourceRank) -> Bool { a.time == b.time ? a.index < b.index : a.time < b.time }
}
