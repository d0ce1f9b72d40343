import Connectors
import Pipeline
import Stages

/// A custom payload with a field of every type.
struct Length: MessagePayload, Equatable {
    static let kind: Kind = "length"
    static let summary = "How long a stroke is"
    static let fields = [
        PayloadField("value", \Length.value, unit: "px", "The way of the pen."),
        PayloadField("turns", \.turns, "How often it turned."),
        PayloadField("closed", \.isClosed, "Whether it ends where it began."),
        PayloadField("steps", \.steps, unit: "px", "The way from each sample to the next."),
        PayloadField("label", \.label, "What the stroke is meant to be."),
        PayloadField("limit", \.limit, unit: "px", "How long it may be."),
    ]

    var value = 0.0
    var turns = 0
    var isClosed = false
    var steps: [Double] = []
    var label: String?
    var limit: Double?

    init() {}

    init(
        _ value: Double, turns: Int = 0, isClosed: Bool = false, steps: [Double] = [], label: String? = nil,
        limit: Double? = nil
    ) {
        (self.value, self.turns, self.isClosed) = (value, turns, isClosed)
        (self.steps, self.label, self.limit) = (steps, label, limit)
    }
}
