/// The sources whose clocks differ too much for one stream that they all produce, as found where their edges are merged or joined.
struct ClocksApart {
    /// The sources whose clocks are behind, and the sources whose frames waited for them.
    var behind: Set<Int>
    var ahead: Set<Int>

    /// The reason for dropping frames of the stream from now on: frames of the sources that are behind are late, and frames of the
    /// sources that are ahead may be unmatched.
    var reason = DropReason.late

    /// The sources whose frames are dropped.
    var losing: Set<Int> { reason == .late ? behind : ahead }
}
