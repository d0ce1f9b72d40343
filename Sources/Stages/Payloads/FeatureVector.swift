import Pipeline

/// Numbers that a matcher compares, with what they were made from.
public struct FeatureVector: Payload, Hashable {
    public static let kind: Kind = "vector"

    /// The numbers. All vectors of a stream have the same count.
    public var values: [Double]

    /// When what they were made from began.
    public var start: Timestamp

    /// When it ended.
    public var end: Timestamp

    /// What it is meant to be, if that is known.
    public var label: String?

    /// What they were made from.
    public var subject: Subject?

    /// Makes a vector.
    public init(
        values: [Double], start: Timestamp = .zero, end: Timestamp = .zero, label: String? = nil,
        subject: Subject? = nil
    ) {
        self.values = values
        self.start = start
        self.end = end
        self.label = label
        self.subject = subject
    }
}

/// What a recognition or a vector was made from.
public enum Subject: Hashable, Sendable {
    /// A gesture.
    case stroke(Stroke)

    /// A hand.
    case landmarks(Landmarks)
}
