import Pipeline

/// The payloads that an input accepts.
public enum Acceptance: Sendable {
    /// Any payload.
    case any

    /// One of the given port types.
    case one(of: [PortType])

    /// Sets of frames from two or more edges, each with one of the given port types. The stage is an `AlignedStage`.
    case aligned(of: [PortType])
}
