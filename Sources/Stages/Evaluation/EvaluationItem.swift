import Pipeline

/// One labeled sample of a data set.
public struct EvaluationItem: Sendable {
    /// What it is meant to be.
    public var label: String
    /// Who drew it.
    public var user: String
    /// What keeps it apart from other samples of the same user, when templates and tests are drawn of a user's own: a speed, a
    /// device. Nothing unless set.
    public var group = ""
    /// The stroke or the hand, raw.
    public var sample: Subject

    /// Makes an item of a stroke.
    public init(label: String, user: String, stroke: Stroke) {
        (self.label, self.user, sample) = (label, user, .stroke(stroke))
    }

    /// Makes an item of a hand.
    public init(label: String, user: String, hand: Landmarks) {
        (self.label, self.user, sample) = (label, user, .landmarks(hand))
    }

    /// The item that a stroke is by its own label and subject; `nil` when it has no label.
    public init?(_ stroke: Stroke) {
        guard let label = stroke.label, !label.isEmpty else { return nil }
        self.init(label: label, user: stroke.subject ?? "", stroke: stroke)
    }

    /// The item that a hand is by its own label; `nil` when it has none.
    public init?(_ hand: Landmarks) {
        guard let label = hand.label, !label.isEmpty else { return nil }
        self.init(label: label, user: "", hand: hand)
    }

    /// Whether it is a hand; otherwise it is a stroke.
    public var isHand: Bool { if case .landmarks = sample { true } else { false } }

    /// The samples of a gesture of a library; its bare bitmaps are none.
    public static func items(of gesture: GestureLibrary.Gesture) -> [EvaluationItem] {
        gesture.samples.map { EvaluationItem(label: gesture.name, user: $0.subject ?? "", stroke: $0) }
            + gesture.hands.map { EvaluationItem(label: gesture.name, user: "", hand: $0) }
    }
}
