import Pipeline

/// What a matcher found.
public struct Recognition: Payload, Hashable {
    public static let kind: Kind = "recognition"

    /// A name with how sure the matcher is of it.
    public struct Category: Hashable, Sendable {
        /// The name in the library.
        public var name: String

        /// The name to show a person; the name itself when there is none.
        public var displayName: String

        /// The place of the name in the library, from 0; −1 for None.
        public var index: Int

        /// From 0 to 1.
        public var score: Double

        /// Makes a category.
        public init(name: String, displayName: String? = nil, index: Int, score: Double) {
            self.name = name
            self.displayName = displayName ?? name
            self.index = index
            self.score = score
        }

        /// Nothing was recognized.
        public static let none = Category(name: "None", index: -1, score: 0)
    }

    /// Best first; never empty: when nothing was recognized, the one category is None.
    public var categories: [Category]

    /// How much better the best is than the next other name, in score; the best's score when there is no other.
    public var margin: Double

    /// How likely it is that the best category is right, or that None is, from 0 to 1; `nil` when the matcher does not know.
    public var confidence: Double?

    /// The method that found it.
    public var matcher: String

    /// When what was recognized began.
    public var start: Timestamp

    /// When it ended.
    public var end: Timestamp

    /// What it was meant to be, if that is known.
    public var label: String?

    /// What was recognized, when asked for.
    public var subject: Subject?

    /// Makes a recognition.
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

    /// The best category; None when the list is empty.
    public var best: Category { categories.first ?? .none }
}
