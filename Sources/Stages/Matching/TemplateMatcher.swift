import Pipeline

/// Compares what arrives with templates: the part in which matchers differ.
///
/// A matcher does not change once it is made and is shared by all streams.
protocol TemplateMatcher: Sendable {
    /// What it compares.
    associatedtype Query: Matchable

    /// What it compares with: a query, or what it keeps of one.
    associatedtype Template: Sendable = Query

    /// The name of the method.
    static func name(_ rules: MatchRules) -> String

    /// Whether its distances are angles, to which the threshold in radians applies.
    static var comparesAngles: Bool { get }

    /// Prepares templates.
    ///
    /// - Parameter templates: By category: at least one of every category.
    /// - Throws: A frame error that names what is wrong with a template.
    init(templates: [[Template]], rules: MatchRules) throws

    /// What it keeps of a sample that the pipeline's stages have prepared.
    ///
    /// - Throws: A frame error for what it cannot compare.
    static func template(of query: Query) throws -> Template

    /// What it keeps of a bare 64-bit pattern; nil when it cannot compare with one.
    static func template(ofPattern bits: UInt64) -> Template?

    /// The largest distance of a category that is a match.
    func limit(of category: Int, _ rules: MatchRules) -> Double

    /// How likely its nearest category is right, where nothing was measured for the library.
    static func usualConfidence(_ rules: MatchRules) -> MatchConfidence?

    /// What limits that are stored in a library mean for it; `nil` when they are for another one.
    static func stored(_ limits: GestureLibrary.Limits) -> StoredLimits?

    /// Finds the categories nearest to `query`: the best template of each, nearest first, ties in the order of the
    /// library. Exact for the two nearest and for all that `rules` let through; others may be missing.
    func rank(_ query: Query, into ranking: inout [Ranked]) throws
}

extension TemplateMatcher {
    /// One limit for all.
    func limit(of category: Int, _ rules: MatchRules) -> Double {
        Self.comparesAngles ? min(rules.maxDistance, rules.thresholdRad) : rules.maxDistance
    }

    /// Most matchers do not know.
    static func usualConfidence(_ rules: MatchRules) -> MatchConfidence? { nil }

    /// Most matchers learn no limits.
    static func stored(_ limits: GestureLibrary.Limits) -> StoredLimits? { nil }

    /// Most matchers know nothing of bitmaps.
    static func template(ofPattern bits: UInt64) -> Template? { nil }
}

extension TemplateMatcher where Template == Query {
    /// The sample as it is.
    static func template(of query: Query) -> Query { query }
}

/// What `gestures calibrate` found for a matcher.
struct StoredLimits {
    /// The largest distances of gestures, by name, in place of those that are learned.
    var distances: [String: Double] = [:]

    /// By what the limits are multiplied that are learned.
    var factor = 1.0

    /// How likely a match is right.
    var confidence: MatchConfidence?
}

/// How near a category came.
struct Ranked {
    /// The category's place among those compared.
    var category: Int

    /// The distance to its nearest template, in the unit of the method.
    var distance: Double

    /// The same as a score, 0 to 1.
    var score: Double
}

/// What a match lets through.
struct MatchRules: Sendable {
    /// How far a stroke may be turned to fit, in degrees; 180 and more for any angle.
    var rotationToleranceDeg = 27.0

    /// The largest angle between vectors that is a match, in radians.
    var thresholdRad = 0.4

    /// The lowest score that is a match.
    var scoreThreshold = 0.0

    /// The side of the square that strokes were scaled to.
    var size = 250.0

    /// How bitmaps are compared.
    var score = MatchBitmap.Score.dice

    /// How many categories to report at most; −1 for all.
    var maxResults = -1

    /// How many of the nearest templates of a category count; `nil` for a number that grows with theirs.
    var neighbours: Int?

    /// The largest distance that is a match, in the unit of the method.
    var maxDistance = Double.infinity

    /// By what the limits are multiplied that a matcher learns from its templates; `nil` when it is to learn none.
    var limitFactor: Double?

    /// By how much the best must be better than the next, in score.
    var minMargin = 0.0

    /// The category that stands for none of the others.
    var noneClass = "none"
}

/// What a matcher can compare, with what a recognition takes over from it.
protocol Matchable: Payload {
    var start: Timestamp { get }
    var end: Timestamp { get }
    var label: String? { get }

    /// What was recognized.
    var matchedSubject: Subject? { get }
}

extension Stroke: Matchable {
    var matchedSubject: Subject? { .stroke(self) }
}

extension Bitmap: Matchable {
    var matchedSubject: Subject? { subject }
}

extension FeatureVector: Matchable {
    var matchedSubject: Subject? { subject }
}
