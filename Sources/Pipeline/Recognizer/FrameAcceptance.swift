/// What became of a frame at once, when it was given to a live recognizer.
public enum FrameAcceptance: Sendable, Hashable {
    /// It waits or is being worked on. It ends once: with a result, with an error, or dropped later for a newer one.
    case accepted

    /// It was dropped, and gives no result.
    case dropped(DropReason)
}
