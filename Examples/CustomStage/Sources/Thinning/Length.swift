import Connectors
import Pipeline
import Stages

/// The length of a stroke: an example of a custom payload. Its fields are declared once, and every source, sink and verb knows
/// them.
public struct Length: MessagePayload, Equatable {
    public static let kind: Kind = "length"
    public static let summary = "How long a stroke is"
    public static let fields = [
        PayloadField("value", \Length.value, unit: "px", "The length of the pen's path."),
        PayloadField("label", \.label, "The intended gesture."),
    ]

    /// The length, in the unit of the coordinates.
    public var value = 0.0
    /// The label of the stroke.
    public var label: String?

    public init() {}

    public init(_ value: Double, label: String? = nil) {
        self.value = value
        self.label = label
    }
}
