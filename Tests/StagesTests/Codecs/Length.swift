import Connectors
import Pipeline
import Stages

/// A custom payload with a field of every type.
struct Length: MessagePayload, Equatable {
    static let kind: Kind = "length"
    static let summary = "The length of a stroke"
    static let fields = [
        PayloadField("value", \Length.value, unit: "px", "The length of the pen's path."),
        PayloadField("turns", \.turns, "How often the pen turned."),
        PayloadField("closed", \.isClosed, "Whether the stroke ends where it began."),
        PayloadField("steps", \.steps, unit: "px", "The distance from each sample to the next."),
        PayloadField("label", \.label, "What the stroke is meant to be."),
        PayloadField("limit", \.limit, unit: "px", "The maximum length."),
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
