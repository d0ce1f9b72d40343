/// Sources that produce the same stream with clocks that differ too much. A merge or join of their edges detects this.
struct ClocksApart {
    /// The sources whose clocks are behind.
    var behind: Set<Int>

    /// The sources whose frames waited for the sources that are behind.
    var ahead: Set<Int>

    /// The reason for which frames of the stream are dropped from now on: `late` for frames of the sources that are behind,
    /// `unmatched` for frames of the sources that waited.
    var reason = DropReason.late

    /// The sources whose frames are dropped.
    var losing: Set<Int> { reason == .late ? behind : ahead }
}
