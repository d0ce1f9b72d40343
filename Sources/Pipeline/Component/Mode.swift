/// How a pipeline treats time and loss.
public enum Mode: String, Sendable, CaseIterable {
    /// Lossless: back-pressure, every frame processed.
    case batch

    /// Never blocks a live source; drops by policy and counts what it drops.
    case live
}
