/// What is known of one edge of a join before the run.
struct LanePlace {
    /// The sources it stands behind.
    var sources: Set<Int>

    /// Whether a stage between may have renamed streams: then nothing is known of their time.
    var isRenamed = false

    /// Whether edges with slots limit how many of its frames wait: then one stream must not hold up the others.
    var isLimited = false

    /// How many of its frames wait for edges that may never bring their stream. No matter of capacities: the order in which
    /// streams leave follows from what the sources bring.
    static var room: Int { 64 }

    /// Whether it may wait until the other edges have gone on: nothing but this place joins what it and they stand behind, so
    /// that they never wait for it elsewhere.
    var mayWait = false

    /// How many of its frames wait for the clock of another source, or where slots limit them.
    static var mostHeld: Int { 4096 }
}
