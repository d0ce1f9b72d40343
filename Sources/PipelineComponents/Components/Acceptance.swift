import Pipeline

/// What an input takes.
public enum Acceptance: Sendable {
    /// Any payload.
    case any

    /// One of these.
    case one(of: [PortType])

    /// Sets of frames from two or more edges that bring one of these: the stage is an `AlignedStage`.
    case aligned(of: [PortType])
}
