import Pipeline

/// A piece of a stroke as it is drawn.
public struct Points: Payload, Hashable {
    public static let kind: Kind = "points"
    public static let continuity = Continuity.continues

    /// Where in its stroke a piece stands.
    public enum Phase: String, Sendable, CaseIterable {
        /// The pen came down.
        case begin
        /// The pen moved.
        case move
        /// The pen went up.
        case end
        /// What was drawn does not count.
        case cancel
    }

    /// Where in its stroke the piece stands.
    public var phase: Phase

    /// The number of the stroke, counted by the sender.
    public var stroke: Int

    /// The samples, none or more.
    public var samples: [Sample]

    /// The time that the samples' `t` count from.
    public var start: Timestamp

    /// What is known of every sample.
    public var fields: SampleFields

    public var beginsAnew: Bool { phase == .begin }

    /// Makes a piece.
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
