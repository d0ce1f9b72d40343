import Pipeline

/// Compares queries with templates. This is the part in which the matchers differ.
///
/// A matcher is immutable and shared by all streams.
protocol TemplateMatcher: Sendable {
    /// The payload that is compared.
    associatedtype Query: Matchable

    /// The form in which templates are kept: a query, or its features.
    associatedtype Template: Sendable = Query

    /// The name of the method.
    static func name(_ rules: MatchRules) -> String

    /// Whether the distances are angles, to which the threshold in radians applies.
    static var comparesAngles: Bool { get }

    /// Creates a matcher of prepared templates.
    ///
    /// - Parameters:
    ///   - templates: The templates by category, at least one for each category.
    ///   - rules: The rules of matching.
    /// - Throws: A frame error that describes the problem of a template.
    init(templates: [[Template]], rules: MatchRules) throws

    /// Returns the template of a sample that the pipeline's stages have prepared.
    ///
    /// - Throws: A frame error for a sample that cannot be compared.
    static func template(of query: Query) throws -> Template

    /// Returns the template of a bare 64-bit pattern, or `nil` if the matcher cannot compare with one.
    static func template(ofPattern bits: UInt64) -> Template?

    /// Returns the largest distance of a category that is a match.
    func limit(of category: Int, _ rules: MatchRules) -> Double

    /// Returns the default probability model of a correct match, for libraries without a fitted one; `nil` if there is none.
    static func defaultConfidence(_ rules: MatchRules) -> MatchConfidence?

    /// Returns the part of a library's stored limits that applies to this kind of matcher, or `nil` if there is none.
    static func stored(_ limits: GestureLibrary.Limits) -> StoredLimits?

    /// Finds the categories nearest to `query`, nearest first, with ties in the order of the library.
    ///
    /// The ranking is exact for the two nearest categories and, by ``MatchRules/ranksAll``, for all categories that the rules
    /// accept. Others may be missing.
    func rank(_ query: Query, into ranking: inout [Ranked]) throws
}

extension TemplateMatcher {
    /// By default, all categories have the same limit.
    func limit(of category: Int, _ rules: MatchRules) -> Double {
        Self.comparesAngles ? min(rules.maxDistance, rules.thresholdRad) : rules.maxDistance
    }

    /// By default, there is no probability model.
    static func defaultConfidence(_ rules: MatchRules) -> MatchConfidence? { nil }

    /// By default, a matcher learns no limits.
    static func stored(_ limits: GestureLibrary.Limits) -> StoredLimits? { nil }

    /// By default, a matcher cannot compare bitmaps.
    static func template(ofPattern bits: UInt64) -> Template? { nil }
}

extension TemplateMatcher where Template == Query {
    /// Returns the sample as it is.
    static func template(of query: Query) -> Query { query }
}

/// The results of `gestures calibrate` for a matcher.
struct StoredLimits {
    /// The largest distances of gestures, by name, which replace the learned ones.
    var distances: [String: Double] = [:]

    /// The factor by which the learned limits are multiplied.
    var factor = 1.0

    /// The probability model of a correct match.
    var confidence: MatchConfidence?
}

/// The distance of one category from a query.
struct Ranked {
    /// The index of the category in the list of categories.
    var category: Int

    /// The distance from the category's templates, in the unit of the method.
    var distance: Double

    /// The distance as a score, 0 to 1.
    var score: Double
}

/// The rules by which a matcher accepts gestures.
struct MatchRules: Sendable {
    /// The largest angle by which a stroke may be rotated to fit, in degrees; 180 or more for any angle.
    var rotationToleranceDeg = 27.0

    /// The largest angle between vectors that is a match, in radians.
    var thresholdRad = 0.4

    /// The lowest score that is a match.
    var scoreThreshold = 0.0

    /// The side of the square that strokes were scaled to.
    var size = 250.0

    /// The similarity measure of bitmaps.
    var score = MatchBitmap.Score.dice

    /// The maximum number of categories to report; −1 for all.
    var maxResults = -1

    /// Whether a matcher must rank all categories that the rules accept, and not only the two nearest. One of these two may not be
    /// reported, so that they are enough only for one result.
    var ranksAll: Bool { maxResults != 1 }

    /// The number of nearest templates of a category that count. If `nil`, it grows with the number of the category's templates.
    var neighbours: Int?

    /// The largest distance that is a match, in the unit of the method.
    var maxDistance = Double.infinity

    /// The factor for the limits that a matcher learns from its templates; `nil` if it does not learn limits.
    var limitFactor: Double?

    /// The smallest difference in score between the best category and the next at which the best one is a match.
    var minMargin = 0.0

    /// The name of the category whose samples show none of the gestures.
    var noneClass = "none"
}

/// A payload that matchers can compare, with the properties that a recognition copies from it.
protocol Matchable: Payload {
    var start: Timestamp { get }
    var end: Timestamp { get }
    var label: String? { get }

    /// The subject of the recognition.
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
