import Pipeline

/// One labeled sample of a data set.
public struct EvaluationItem: Sendable {
    /// The class that the sample is meant to be.
    public var label: String
    /// The person who made the sample.
    public var user: String
    /// The group of the sample, for example a speed or a device. Designs that draw templates and tests from one user draw both from
    /// the same group. Empty by default.
    public var group = ""
    /// The raw stroke or hand.
    public var sample: Subject
    /// Where the sample was read, as errors name it. Empty if it is unknown.
    package var place = ""

    /// Creates an item from a stroke.
    public init(label: String, user: String, stroke: Stroke) {
        (self.label, self.user, sample) = (label, user, .stroke(stroke))
    }

    /// Creates an item from a hand.
    public init(label: String, user: String, hand: Landmarks) {
        (self.label, self.user, sample) = (label, user, .landmarks(hand))
    }

    /// Creates an item from a stroke's own label and subject, or returns `nil` if it has no label.
    public init?(_ stroke: Stroke) {
        guard let label = stroke.label, !label.isEmpty else { return nil }
        self.init(label: label, user: stroke.subject ?? "", stroke: stroke)
    }

    /// Creates an item from a hand's own label, or returns `nil` if it has none.
    public init?(_ hand: Landmarks) {
        guard let label = hand.label, !label.isEmpty else { return nil }
        self.init(label: label, user: "", hand: hand)
    }

    /// Whether the sample is a hand; otherwise it is a stroke.
    public var isHand: Bool { if case .landmarks = sample { true } else { false } }

    /// Returns the samples of a library's gesture. Bitmaps without a stroke are not included.
    public static func items(of gesture: GestureLibrary.Gesture) -> [EvaluationItem] {
        var items = gesture.samples.map { EvaluationItem(label: gesture.name, user: $0.subject ?? "", stroke: $0) }
        items += gesture.hands.map { EvaluationItem(label: gesture.name, user: "", hand: $0) }
        for index in items.indices { items[index].place = "sample \(index + 1) of \"\(gesture.name)\"" }
        return items
    }
}
