/// The immediate outcome of passing a frame to a live recognizer.
public enum FrameAcceptance: Sendable, Hashable {
    /// The frame waits or is being processed. It ends exactly once: in a result, in a result with an error, or by being dropped in
    /// favor of a newer frame.
    case accepted

    /// The frame was dropped and yields no result.
    case dropped(DropReason)
}
