import Connectors
import Pipeline
import Stages

/// The length of a stroke: a custom payload, which every source, sink and verb handles through its fields.
public struct Length: MessagePayload, Equatable {
    public static let kind: Kind = "length"
    public static let summary = "The length of a stroke"
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
