import Pipeline
import PipelineComponents

/// A prepared library, its matcher, and its reporting rules: the part that all matching stages have in common. It is immutable.
struct GestureClassifier<Matcher: TemplateMatcher>: Sendable {
    private let matcher: Matcher
    private let report: MatchReport
    private let limits: [Double]

    /// Prepares a library with the upstream stages and creates the matcher.
    ///
    /// - Throws: A configuration error if the library cannot be prepared. The first problem is thrown; all others are reported to
    ///   the context.
    init(
        _ options: some MatcherOptions, _ rules: MatchRules, library: GestureLibrary, _ context: BuildContext
    ) throws {
        let stored = rules.limitFactor == nil ? nil : library.validLimits
        if rules.limitFactor != nil, let stale = library.staleLimits {
            context.report(.warning, stale.code, stale.message, option: "library", help: stale.help)
        }
        var preparation = LibraryPreparation(options, context)
        let prepared = preparation.prepare(library, for: Matcher.self)
        try preparation.throwFirstProblem()
        do {
            try self.init(prepared, rules, stored: stored)
        } catch let error as PipelineError {
            throw PipelineError(.configuration, "match.library", error.message, help: error.help)
        }
    }

    /// Creates the matcher of prepared gestures.
    ///
    /// - Parameters:
    ///   - prepared: The gestures.
    ///   - rules: The rules of matching.
    ///   - stored: Limits that replace the learned ones.
    /// - Throws: A frame error that describes the problem of a template.
    init(
        _ prepared: [LibraryPreparation.Prepared<Matcher.Template>], _ rules: MatchRules,
        stored: GestureLibrary.Limits?
    ) throws {
        var rules = rules
        let stored = rules.limitFactor == nil ? nil : stored.flatMap(Matcher.stored)
        let distances = stored?.distances.mapValues { $0 * (rules.limitFactor ?? 1) } ?? [:]
        rules.limitFactor = rules.limitFactor.map { $0 * (stored?.factor ?? 1) }
        // Every gesture within its limit must be ranked, so the matcher gets the largest limit.
        if let largest = distances.values.max() { rules.maxDistance = largest }
        let matcher = try Matcher(templates: prepared.map(\.templates), rules: rules)
        self.matcher = matcher
        limits = prepared.enumerated().map { index, gesture in
            distances[gesture.category.name] ?? matcher.limit(of: index, rules)
        }
        // The factor changes which matches are accepted, not how likely they are to be right. The confidence therefore uses the
        // learned limits without the factor.
        let confidence = (stored?.confidence ?? Matcher.defaultConfidence(rules)).flatMap { function in
            rules.limitFactor.map { factor in
                (function, prepared.indices.map { matcher.limit(of: $0, rules) / factor })
            }
        }
        report = MatchReport(prepared.map(\.category), rules, limits: limits, confidence: confidence)
    }

    /// Returns the largest distance at which a gesture is a match.
    func limit(of category: Int) -> Double { limits[category] }

    /// Stores the categories that match a query, or None, in a recognition.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - memory: The working memory.
    ///   - output: The recognition to fill.
    @inline(__always)
    func recognize(
        _ query: Matcher.Query, _ memory: inout MatchMemory, into output: inout Recognition
    ) throws {
        memory.ranking.removeAll(keepingCapacity: true)
        try matcher.rank(query, into: &memory.ranking)
        report.fill(&output, from: memory.ranking, &memory.categories)
    }
}

/// The working memory of one user of a ``GestureClassifier``.
struct MatchMemory: Sendable {
    /// The gestures nearest to the last query.
    var ranking: [Ranked] = []

    /// The memory of the categories in results.
    var categories = ReusedArrays(Recognition.Category.none)
}
