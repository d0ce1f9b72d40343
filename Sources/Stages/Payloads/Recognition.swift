import Pipeline

/// The result of a matcher.
public struct Recognition: Payload, Hashable {
    public static let kind: Kind = "recognition"

    /// A category with its score.
    public struct Category: Hashable, Sendable {
        /// The name in the library.
        public var name: String

        /// The display name, or the name if there is none.
        public var displayName: String

        /// The index of the category in the library, from 0; −1 for None.
        public var index: Int

        /// The score, from 0 to 1.
        public var score: Double

        /// Creates a category.
        public init(name: String, displayName: String? = nil, index: Int, score: Double) {
            self.name = name
            self.displayName = displayName ?? name
            self.index = index
            self.score = score
        }

        /// The category for "nothing was recognized".
        public static let none = Category(name: "None", index: -1, score: 0)
    }

    /// The categories, best first. Never empty: if nothing was recognized, the only category is None.
    public var categories: [Category]

    /// The difference in score between the best category and the next; the best score if there is no other category.
    public var margin: Double

    /// The probability that the best category, or None, is right, from 0 to 1; `nil` if the matcher does not estimate it.
    public var confidence: Double?

    /// The name of the method.
    public var matcher: String

    /// The time at which the recognized subject began.
    public var start: Timestamp

    /// The time at which the recognized subject ended.
    public var end: Timestamp

    /// The class that the subject was meant to be, if known.
    public var label: String?

    /// The recognized payload, if the options ask for it.
    public var subject: Subject?

    /// Creates a recognition.
    public init(
        categories: [Category], margin: Double, matcher: String, start: Timestamp = .zero, end: Timestamp = .zero,
        label: String? = nil, subject: Subject? = nil, confidence: Double? = nil
    ) {
        self.confidence = confidence
        self.categories = categories
        self.margin = margin
        self.matcher = matcher
        self.start = start
        self.end = end
        self.label = label
        self.subject = subject
    }

    /// The best category; None if the list is empty.
    public var best: Category { categories.first ?? .none }
}
