import Pipeline
import PipelineComponents

/// What both classifiers of MediaPipe's gesture recognizer can be told.
protocol HandClassifierOptions: OptionGroup {
    /// The language of the names to show.
    var displayNamesLocale: String? { get set }
    /// How many categories to report at most.
    var maxResults: Int { get set }
    /// The lowest score of a category.
    var scoreThreshold: Double { get set }
    /// The only categories that count.
    var categoryAllowlist: [String] { get set }
    /// Categories that do not count.
    var categoryDenylist: [String] { get set }
}

extension HandClassifierOptions {
    /// The declarations of these options.
    @OptionList<Self>
    static var classifierOptions: [Option<Self>] {
        Option(
            "display_names_locale", \.displayNamesLocale,
            "The language of the names to show; without it, and where there is none, the category's own name.",
            example: "en")
        Option("max_results", \.maxResults, in: -1...100_000, "How many categories to report at most; -1 for all.")
        Option("score_threshold", \.scoreThreshold, in: 0...1, "The lowest score of a category that is reported.")
        Option(
            "category_allowlist", \.categoryAllowlist, "The only categories that count; all when it is empty.",
            example: "[Thumb_Up, Thumb_Down]")
        Option(
            "category_denylist", \.categoryDenylist,
            "Categories that do not count; not together with the allowlist.", example: "[Victory]")
    }
}

/// The options of the classifier that knows MediaPipe's gestures.
public struct CannedGestureOptions: HandClassifierOptions {
    /// How the image is held.
    public enum Image: String, OptionChoice {
        /// Upright, or turned by a quarter either way.
        case any
        /// Upright.
        case upright
    }

    /// How the image is held.
    public var image = Image.any
    public var displayNamesLocale: String?
    public var maxResults = -1
    public var scoreThreshold = 0.0
    public var categoryAllowlist: [String] = []
    public var categoryDenylist: [String] = []

    /// All defaults.
    public init() {}

    /// The declared options.
    public static var options: [Option<CannedGestureOptions>] {
        Option(
            "image", \.image,
            "How the image is held: any, upright or turned by a quarter, or upright, where what points aside does not point up."
        )
        classifierOptions
    }

    public func check(_ node: ConfigNode, _ context: DecodingContext) {
        checkCategoryRules(maxResults, categoryAllowlist, categoryDenylist, node, context)
        let names = CannedGesture.allCases.map(\.name)
        for (option, list) in [
            ("category_allowlist", categoryAllowlist), ("category_denylist", categoryDenylist),
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
public struct CustomGestureOptions: HandClassifierOptions {
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

    /// The gesture library's file.
    public var library = FilePath("")
    /// What of a hand is compared.
    public var layout = Layout.distances
    /// By how much a hand is turned upright at most.
    public var rotateLimitDeg = 0.0
    /// How it is compared.
    public var method = Method.cosine
    /// How many of the nearest samples of a gesture count; by default as many as suit their number.
    public var neighbours: Int?
    /// By what the limits are multiplied that are learned from the library.
    public var limitFactor: Double?
    /// The largest distance that is a match, in place of limits that are learned.
    public var maxDistance: Double?
    /// By how much the best must be better than the next.
    public var minMargin = 0.0
    /// The gesture that stands for none of the others.
    public var noneClass = "none"
    public var displayNamesLocale: String?
    public var maxResults = -1
    public var scoreThreshold = 0.0
    public var categoryAllowlist: [String] = []
    public var categoryDenylist: [String] = []

    /// All defaults.
    public init() {}

    /// The declared options.
    public static var options: [Option<CustomGestureOptions>] {
        Option(
            "library", \.library, "The gesture library's file, with gestures of kind hand21.", isRequired: true,
            example: "hands.json")
        Option(
            "layout", \.layout,
            "What is compared: distances between the fingers, so that the way the hand points does not count, or xy, the places of all landmarks, so that it does."
        )
        Option(
            "rotate_limit_deg", \.rotateLimitDeg, in: 0...180,
            "By how much a hand is turned upright at most before its places are compared.")
        Option("method", \.method, "Whether vectors are compared by their angle or by their distance.")
        Option(
            "neighbours", \.neighbours, in: 1...1000,
            "How many of the nearest samples of a gesture count, by their mean distance; by default half the root of their number, and of fewer than 16 the nearest by 0.7 and the next by 0.3.",
            example: "3")
        Option(
            "limit_factor", \.limitFactor, in: 0.01...100,
            "Multiplies the limits that are learned from the library: below 1 None is said more often; 1 by default.",
            example: "0.8")
        Option(
            "max_distance", \.maxDistance, in: 0...1e12,
            "The largest distance that is a match, in place of limits that are learned: radians for cosine, and about the same for euclidean.",
            example: "0.25")
        Option(
            "min_margin", \.minMargin, in: 0...1,
            "By how much, in score, the best must be better than the next; what lies between two gestures is None.")
        Option(
            "none_class", \.noneClass,
            "The gesture whose samples show what is none of the others: what is nearest to it is None.")
        classifierOptions
    }

    public func check(_ node: ConfigNode, _ context: DecodingContext) {
        checkCategoryRules(maxResults, categoryAllowlist, categoryDenylist, node, context)
        if limitFactor != nil, maxDistance != nil { warnOfTwoLimits("limit_factor", "max_distance", node, context) }
    }

    /// The same as options of `match`.
    var match: Match.Options {
        var match = Match.Options()
        match.library = library
        match.method = method == .cosine ? .cosine : .euclidean
        match.neighbours = neighbours
        match.limitFactor = limitFactor ?? 1
        match.thresholdRad = maxDistance ?? match.thresholdRad
        match.maxDistance = maxDistance
        match.minMargin = minMargin
        match.noneClass = noneClass
        match.displayNames = displayNamesLocale
        match.maxResults = maxResults
        match.scoreThreshold = scoreThreshold
        match.categoryAllowlist = categoryAllowlist
        match.categoryDenylist = categoryDenylist
        return match
    }
}
