import Pipeline
import PipelineComponents

/// A prepared library, its matcher and what is reported: what all stages that match have in common. It does not change.
struct GestureClassifier<Matcher: TemplateMatcher>: Sendable {
    private let matcher: Matcher
    private let report: MatchReport
    private let limits: [Double]

    /// Prepares a library with the stages above and makes the matcher.
    ///
    /// - Throws: A configuration error when the library cannot be prepared; all but the first problem are reported to the
    ///   context, the first is thrown.
    init(
        _ options: some MatcherOptions, _ rules: MatchRules, library: GestureLibrary, _ context: BuildContext
    ) throws {
        let stored = rules.limitFactor == nil ? nil : Self.limits(of: library, context)
        var preparation = LibraryPreparation(options, context)
        let prepared = preparation.prepare(library, for: Matcher.self)
        try preparation.throwFirstProblem()
        do {
            try self.init(prepared, rules, stored: stored)
        } catch let error as PipelineError {
            throw PipelineError(.configuration, "match.library", error.message, help: error.help)
        }
    }

    /// Makes the matcher of gestures that are prepared.
    ///
    /// - Parameter stored: Limits that take the place of those that are learned.
    /// - Throws: A frame error that names what is wrong with a template.
    init(
        _ prepared: [LibraryPreparation.Prepared<Matcher.Template>], _ rules: MatchRules,
        stored: GestureLibrary.Limits?
    ) throws {
        var rules = rules
        let stored = rules.limitFactor == nil ? nil : stored.flatMap(Matcher.stored)
        let distances = stored?.distances.mapValues { $0 * (rules.limitFactor ?? 1) } ?? [:]
        rules.limitFactor = rules.limitFactor.map { $0 * (stored?.factor ?? 1) }
        // What is within any limit must be ranked.
        if let largest = distances.values.max() { rules.maxDistance = largest }
        let matcher = try Matcher(templates: prepared.map(\.templates), rules: rules)
        self.matcher = matcher
        limits = prepared.enumerated().map { index, gesture in
            distances[gesture.category.name] ?? matcher.limit(of: index, rules)
        }
        // A stricter limit makes no gesture less likely: what counts are the limits that are learned.
        let confidence = (stored?.confidence ?? Matcher.usualConfidence(rules)).flatMap { function in
            rules.limitFactor.map { factor in
                (function, prepared.indices.map { matcher.limit(of: $0, rules) / factor })
            }
        }
        report = MatchReport(prepared.map(\.category), rules, limits: limits, confidence: confidence)
    }

    /// The largest distance of a gesture that is a match.
    func limit(of category: Int) -> Double { limits[category] }

    /// The limits that are stored in a library and fit its samples.
    private static func limits(of library: GestureLibrary, _ context: BuildContext) -> GestureLibrary.Limits? {
        if let limits = library.validLimits { return limits }
        if library.limits != nil {
            context.report(
                .warning, "match.stale_limits",
                "the library was changed after its limits were computed: they are not used", option: "library",
                help: "pipectl gestures calibrate computes them again")
        }
        return nil
    }

    /// Puts the categories that match a query, or None, into a recognition.
    ///
    /// - Parameter ranking: Memory to work in.
    @inline(__always)
    func recognize(
        _ query: Matcher.Query, _ ranking: inout [Ranked], into output: inout Recognition
    ) throws {
        ranking.removeAll(keepingCapacity: true)
        try matcher.rank(query, into: &ranking)
        report.fill(&output, from: ranking)
    }
}
