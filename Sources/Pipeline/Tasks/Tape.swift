/// Keeps what the tasks of a run take from their edges, or lets them take the same again.
///
/// What a task makes depends on what it takes, and on the order of that, alone. Which frames an edge drops, which of several edges
/// is first, when time runs out where frames wait for others: all that depends on when things happen decides only what is taken.
/// So a run whose tasks take the same from the same sources makes the same, however long anything takes.
package enum Tape: Sendable {
    /// Is given what a task has taken, in order, with the `id` of its first node.
    case record(@Sendable (_ node: String, [TapeItem]) -> Void)

    /// Gives all that a task takes. Its edges drop nothing, and nothing else is taken from them.
    case replay(@Sendable (_ node: String) -> [TapeItem])

    var isReplay: Bool { if case .replay = self { true } else { false } }
}

/// Something that a task has taken.
package enum TapeItem: Sendable, Hashable {
    /// A frame of a set.
    package struct Part: Sendable, Hashable {
        package let ordinal: UInt32
        package let gap: Int32

        package init(_ ordinal: UInt32, gap: Int32) { (self.ordinal, self.gap) = (ordinal, gap) }
    }

    /// A frame, by its ordinal, with how many were missing before it.
    ///
    /// The frames offered on the first of `n` edges have the ordinals 0, `n`, 2`n`, …, those of the second 1, `n` + 1, and so on.
    case frame(UInt32, gap: Int32)

    /// A set of frames, one of each edge or none.
    case set([Part?], gap: Int32, at: Timestamp)

    /// The time of a stream, or of all, has come so far.
    case bound(StreamID?, Timestamp)

    /// All of a stream up to a time has passed, if only under other names.
    case receipt(StreamID, Timestamp)

    /// A stream has ended.
    case end(StreamID)

    /// Nothing came any more. Missing where the run was ended by force.
    case finished
}
