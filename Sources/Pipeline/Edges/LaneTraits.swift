/// The properties of one input edge of a join that are known before the run.
struct LaneTraits: Equatable {
    /// The sources upstream of the edge.
    var sources: Set<Int>

    /// Whether a stage upstream may have renamed streams. If so, the times of the streams are unknown.
    var isRenamed = false

    /// Whether this edge or an upstream edge limits its frames in flight, and thereby the number of frames of this edge that can
    /// wait. If so, a stream whose frames wait must not block the other streams.
    var isLimited = false

    /// The maximum number of frames that wait for an edge that may never deliver their stream. It does not depend on capacities,
    /// because the order of the output must depend only on the input of the sources.
    static var room: Int { 64 }

    /// Whether the join may stop reading this edge until the other edges have advanced. This is true if only this join connects
    /// the edge's part of the graph with the other edges' parts, so that the other edges never wait for this edge elsewhere.
    var mayWait = false

    /// The maximum number of waiting frames of an edge if they wait for a source with another clock, or if ``isLimited`` is true.
    static var mostHeld: Int { 4096 }
}

extension EdgePolicy {
    /// The number of frames of an edge that can wait in a stage that aligns this edge with others.
    package var roomInJoin: Int { max(capacity, LaneTraits.room) }
}
