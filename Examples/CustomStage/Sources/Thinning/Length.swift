import Pipeline

/// How long a stroke is: a payload of one's own.
public struct Length: Payload, Equatable {
    public static let kind: Kind = "length"
    public static let continuity = Continuity.standsAlone

    /// In the unit of the coordinates.
    public var value: Double
    /// The label of the stroke.
    public var label: String?

    public init(_ value: Double, label: String? = nil) {
        self.value = value
        self.label = label
    }
}
