/// Sources that bring one stream by clocks that are far apart, found where their edges come together.
struct ClocksApart {
    /// Those whose clocks are behind, and those that brought what waited for them.
    var behind: Set<Int>
    var ahead: Set<Int>

    /// Why frames of the stream are dropped from now on: what comes behind is late, and what is ahead may be unmatched.
    var reason = DropReason.late

    /// The sources whose frames are dropped.
    var losing: Set<Int> { reason == .late ? behind : ahead }
}
