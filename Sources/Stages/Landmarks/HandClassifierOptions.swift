import Pipeline
import PipelineComponents

/// The options of the classifier for MediaPipe's canned gestures.
public struct CannedGestureOptions: OptionGroup {
    /// The orientation of the image.
    public enum Image: String, OptionChoice {
        /// Upright, or rotated by 90° in either direction.
        case any
        /// Upright.
        case upright
    }

    @Option(
        "Orientation of the image. any: upright or rotated by 90°. upright: only upright, so that a finger pointing sideways does not count as pointing up."
    )
    public var image = Image.any

    @Option(
        "Language of display names. A category without a display name is shown by its name.",
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

/// The options of the classifier for custom gestures, which compares hands with the samples of a library.
public struct CustomGestureOptions: OptionGroup {
    /// The features of a hand that are compared.
    public enum Layout: String, OptionChoice {
        /// The distances between the fingers. The direction of the hand does not matter.
        case distances
        /// The positions of the landmarks. The direction of the hand matters.
        case xy
    }

    /// The measure of comparison.
    public enum Method: String, OptionChoice {
        /// The angle between vectors.
        case cosine
        /// The Euclidean distance between vectors.
        case euclidean
    }

    @Option("File of the gesture library, with gestures of kind hand21.", isRequired: true, example: "hands.json")
    public var library = FilePath("")

    @Option(
        "Features to compare. distances: between the fingers; the direction of the hand does not matter. xy: the positions of all landmarks; the direction matters."
    )
    public var layout = Layout.distances

    @Option("Largest angle by which a hand is rotated upright before its positions are compared.", in: 0...180)
    public var rotateLimitDeg = 0.0

    @Option("Whether vectors are compared by their angle or by their distance.")
    public var method = Method.cosine

    @Option(
        "Number of nearest samples of a gesture whose mean distance counts. By default half the square root of the number of samples; with fewer than 16 samples the nearest counts 0.7 and the next 0.3.",
        in: 1...1000, example: "3")
    public var neighbours: Int?

    @Option(
        "Factor for the limits learned from the library; 1 by default. Below 1, None is reported more often.",
        in: 0.01...100, example: "0.8")
    public var limitFactor: Double?

    @Option(
        "Largest distance that is a match, instead of the learned limits; in radians for cosine, and of similar size for euclidean.",
        in: 0...1e12, example: "0.25")
    public var maxDistance: Double?

    @Option(
        "Smallest difference in score between the best gesture and the next. Below it, the result is None.",
        in: 0...1)
    public var minMargin = 0.0

    @Option("Gesture whose samples are examples of None. If a hand is nearest to it, the result is None.")
    public var noneClass = "none"

    @Option(
        "Language of display names. A category without a display name is shown by its name.",
        example: "en")
    public var displayNamesLocale: String?

    @Option("Lowest score of a category that is reported.", in: 0...1)
    public var scoreThreshold = 0.0

    public var categories = CategoryOptions()

    public init() {}

    public func check(_ node: ConfigNode, _ context: DecodingContext) {
        if limitFactor != nil, maxDistance != nil { warnOfTwoLimits("limit_factor", "max_distance", node, context) }
    }

    /// The equivalent options of `match`.
    var match: Match.Options {
        var match = Match.Options()
        match.library = library
        match.method = method == .cosine ? .cosine : .euclidean
        match.neighbours = neighbours
        match.limitFactor = maxDistance == nil ? limitFactor ?? 1 : nil
        // `thresholdRad` allows at most 4, and no angle exceeds π.
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
