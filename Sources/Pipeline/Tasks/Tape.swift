/// Records what the tasks of a run take from their edges, or replays it.
///
/// The output of a task depends only on the items that it takes, and on their order. Timing only affects which items are taken:
/// which frames an edge drops, which of several edges comes first, and when waiting frames time out. Therefore a run whose tasks
/// take the same items from the same sources produces the same output, however long each step takes.
package enum Tape: Sendable {
    /// Receives what a task has taken, in order, with the `id` of the task's first node.
    case record(@Sendable (_ node: String, [TapeItem]) -> Void)

    /// Returns everything that a task takes. The task's edges drop nothing, and items that are not on the tape are discarded.
    case replay(@Sendable (_ node: String) -> [TapeItem])

    var isReplay: Bool { if case .replay = self { true } else { false } }
}

/// An item that a task took.
package enum TapeItem: Sendable, Hashable {
    /// A frame of a set.
    package struct Part: Sendable, Hashable {
        package let ordinal: UInt32
        package let gap: Int32

        package init(_ ordinal: UInt32, gap: Int32) { (self.ordinal, self.gap) = (ordinal, gap) }
    }

    /// A frame, by its ordinal, with the number of frames missing before it.
    ///
    /// The frames offered on the first of `n` edges have the ordinals 0, `n`, 2`n`, …; those offered on the second edge have 1, `n`
    /// + 1, and so on.
    case frame(UInt32, gap: Int32)

    /// A set of frames: one frame or none for each edge.
    case set([Part?], gap: Int32, at: Timestamp)

    /// The watermark of a stream, or of all streams. (MediaPipe calls a watermark a timestamp bound.)
    case bound(StreamID?, Timestamp)

    /// The end of a stream.
    case end(StreamID)

    /// The end of the input. It is missing if the run was ended by force.
    case finished
}
