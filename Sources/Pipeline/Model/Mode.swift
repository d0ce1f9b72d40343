/// How a pipeline treats time and loss.
public enum Mode: String, Sendable, CaseIterable {
    /// Every frame is processed: a full edge makes its producer wait (backpressure).
    case batch

    /// A live source never waits: edges drop frames according to their policy, and the drops are counted.
    case live
}
