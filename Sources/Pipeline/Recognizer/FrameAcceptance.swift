/// The immediate outcome of passing a frame to a live recognizer.
public enum FrameAcceptance: Sendable, Hashable {
    /// The frame waits or is being processed. It ends exactly once: it leads to a result, which may contain an error, or it is
    /// dropped in favor of a newer frame.
    case accepted

    /// The frame was dropped and yields no result.
    case dropped(DropReason)
}
