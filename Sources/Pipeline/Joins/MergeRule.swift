/// The edges of a merge for which the frames of a stream wait.
enum MergeRule {
    /// Any edge may deliver any stream. Frames wait for an edge that has delivered their stream, and also for the other edges, but
    /// for those only as long as there is room. Batch runs use this rule.
    case anyEdge

    /// Frames wait only for edges that have delivered their stream, and for edges downstream of the stream's source. Live runs use
    /// this rule, because their streams share no clock.
    ///
    /// - Parameter brings: ``SourceClocks/brings``.
    case edgesOfSource(brings: SourceClocks.Brings?)
}
