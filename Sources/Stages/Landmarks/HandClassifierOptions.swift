import Pipeline
import PipelineComponents

/// The options of the classifier that knows MediaPipe's gestures.
public struct CannedGestureOptions: OptionGroup {
    /// How the image is held.
    public enum Image: String, OptionChoice {
        /// Upright, or turned by a quarter either way.
        case any
        /// Upright.
        case upright
    }

    @Option(
        "How the image is held. any: upright or turned by a quarter. upright: upright, so that a finger pointing sideways does not count as pointing up."
    )
    public var image = Image.any

    @Option(
        "Language of display names. Where there is none, the name of the category is shown.",
        example: "en")
    public var displayNamesLocale: String?

    @Option("Lowest score of a category that is reported.", in: 0...1)
    public var scoreThreshold = 0.0

    public var categories = CategoryOptions()

    public init() {}

    public func check(_ node: ConfigNode, _ context: DecodingContext) {
        let names = CannedGesture.allCases.map(\.name)
        for (option, list) in [
            ("category_allowlist", categories.allowlist), ("category_denylist", categories.denylist),
        ] {
            for name in list where !names.contains(name) {
                context.findings.warning(
                    "match.unknown_label", "\"\(name)\" is not a canned gesture", at: node[option]?.span,
                    path: context.descending(option).path, help: suggestion(for: name, among: names, list: "there are"))
            }
        }
    }
}

/// The options of the classifier that knows gestures by example.
public struct CustomGestureOptions: OptionGroup {
    /// What of a hand is compared.
    public enum Layout: String, OptionChoice {
        /// How far the fingers are from one another: which way the hand points does not count.
        case distances
        /// Where the landmarks are: which way the hand points counts.
        case xy
    }

    /// How it is compared.
    public enum Method: String, OptionChoice {
        /// The angle between vectors.
        case cosine
        /// The distance of vectors.
        case euclidean
    }

    @Option("File of the gesture library, with gestures of kind hand21.", isRequired: true, example: "hands.json")
    public var library = FilePath("")

    @Option(
        "What is compared: distances between the fingers, which ignore the direction of the hand, or xy, the positions of all landmarks, which do not."
    )
    public var layout = Layout.distances

    @Option("Largest angle by which a hand is turned upright before its positions are compared.", in: 0...180)
    public var rotateLimitDeg = 0.0

    @Option("Whether vectors are compared by their angle or by their distance.")
    public var method = Method.cosine

    @Option(
        "Number of nearest samples of a gesture whose mean distance counts. By default half the square root of their number; with fewer than 16 samples the nearest counts 0.7 and the next 0.3.",
        in: 1...1000, example: "3")
    public var neighbours: Int?

    @Option(
        "Factor for the limits learned from the library; 1 by default. Below 1, None is reported more often.",
        in: 0.01...100, example: "0.8")
    public var limitFactor: Double?

    @Option(
        "Largest distance that is a match, in place of learned limits: in radians for cosine, and about the same for euclidean.",
        in: 0...1e12, example: "0.25")
    public var maxDistance: Double?

    @Option(
        "Least difference in score between the best gesture and the next. Below it the result is None.",
        in: 0...1)
    public var minMargin = 0.0

    @Option("Gesture whose samples show what is none of the others. What is nearest to it is None.")
    public var noneClass = "none"

    @Option(
        "Language of display names. Where there is none, the name of the category is shown.",
        example: "en")
    public var displayNamesLocale: String?

    @Option("Lowest score of a category that is reported.", in: 0...1)
    public var scoreThreshold = 0.0

    public var categories = CategoryOptions()

    public init() {}

    public func check(_ node: ConfigNode, _ context: DecodingContext) {
        if limitFactor != nil, maxDistance != nil { warnOfTwoLimits("limit_factor", "max_distance", node, context) }
    }

    /// The same as options of `match`.
    var match: Match.Options {
        var match = Match.Options()
        match.library = library
        match.method = method == .cosine ? .cosine : .euclidean
        match.neighbours = neighbours
        match.limitFactor = limitFactor ?? 1
        // No angle is larger than what the threshold may be.
        match.thresholdRad = min(maxDistance ?? match.thresholdRad, 4)
        match.maxDistance = maxDistance
        match.minMargin = minMargin
        match.noneClass = noneClass
        match.displayNames = displayNamesLocale
        match.scoreThreshold = scoreThreshold
        match.categories = categories
        return match
    }
}
