import Pipeline

/// A piece of a stroke, emitted while the stroke is drawn.
public struct Points: Payload, Hashable {
    public static let kind: Kind = "points"
    public static let continuity = Continuity.continues

    /// The position of a piece in its stroke.
    public enum Phase: String, Sendable, CaseIterable {
        /// The pen was put down.
        case begin
        /// The pen moved.
        case move
        /// The pen was lifted.
        case end
        /// The stroke is canceled: discard what was drawn of it.
        case cancel
    }

    /// The position of the piece in its stroke.
    public var phase: Phase

    /// The number of the stroke, assigned by the sender.
    public var stroke: Int

    /// The samples; may be empty.
    public var samples: [Sample]

    /// The time from which the samples' `t` are measured.
    public var start: Timestamp

    /// The optional fields that the samples have.
    public var fields: SampleFields

    public var beginsAnew: Bool { phase == .begin }

    /// Creates a piece.
    public init(
        phase: Phase, stroke: Int = 0, samples: [Sample], start: Timestamp = .zero, fields: SampleFields = []
    ) {
        self.phase = phase
        self.stroke = stroke
        self.samples = samples
        self.start = start
        self.fields = fields
    }
}
