import Pipeline

/// A vector of numbers for a matcher to compare, and the payload that the numbers were computed from.
public struct FeatureVector: Payload, Hashable {
    public static let kind: Kind = "vector"

    /// The numbers. All vectors of a stream have the same count.
    public var values: [Double]

    /// The time at which the subject began.
    public var start: Timestamp

    /// The time at which the subject ended.
    public var end: Timestamp

    /// The class that the subject is meant to be, if known.
    public var label: String?

    /// The payload that the numbers were computed from.
    public var subject: Subject?

    /// Creates a vector.
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

/// The payload that a recognition or a vector was created from.
public enum Subject: Hashable, Sendable {
    /// A gesture.
    case stroke(Stroke)

    /// A hand. It is much larger than a stroke, so it is stored separately: the size of this type is part of every recognition.
    indirect case landmarks(Landmarks)
}
