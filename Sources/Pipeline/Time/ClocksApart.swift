/// Sources that produce the same stream with clocks that differ too much. A merge or join of their edges detects this.
struct ClocksApart {
    /// The sources whose clocks are behind, and the sources whose frames waited for those.
    var behind: Set<Int>
    var ahead: Set<Int>

    /// Why frames of the stream are dropped from now on: `late` drops frames of the sources behind, `unmatched` those of the
    /// sources ahead.
    var reason = DropReason.late

    /// The sources whose frames are dropped.
    var losing: Set<Int> { reason == .late ? behind : ahead }
}
