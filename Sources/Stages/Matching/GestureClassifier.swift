import Pipeline

/// A prepared library, its matcher and what is reported: what all stages that match have in common. It does not change.
struct GestureClassifier<Matcher: TemplateMatcher>: Sendable {
    private let matcher: Matcher
    private let report: MatchReport

    /// Prepares a library with the stages above and makes the matcher.
    ///
    /// - Throws: A configuration error when the library cannot be prepared; all but the first problem are reported to the
    ///   context, the first is thrown.
    init(
        _ options: some MatcherOptions, _ rules: MatchRules, library: GestureLibrary, _ context: BuildContext
    ) throws {
        var rules = rules
        let stored = rules.limitFactor.map { factor in
            Self.limits(of: library, context).mapValues { $0 * factor }
        }
        // What is within any limit must be ranked.
        if let largest = stored?.values.max() { rules.maxDistance = largest }
        var preparation = LibraryPreparation(options, context)
        let prepared = preparation.prepare(library, for: Matcher.self)
        try preparation.throwFirstProblem()
        let matcher: Matcher
        do {
            matcher = try Matcher(templates: prepared.map(\.templates), rules: rules)
        } catch let error as PipelineError {
            throw PipelineError(.configuration, "match.library", error.message, help: error.help)
        }
        self.matcher = matcher
        let limits = prepared.enumerated().map { index, gesture in
            stored?[gesture.category.name] ?? matcher.limit(of: index, rules)
        }
        report = MatchReport(prepared.map(\.category), rules, limits: limits)
    }

    /// The limits that are stored in a library and fit its samples, by gesture.
    private static func limits(of library: GestureLibrary, _ context: BuildContext) -> [String: Double] {
        if let limits = library.validLimits { return limits.distances }
        if library.limits != nil {
            context.report(
                .warning, "match.stale_limits",
                "the library was changed after its limits were computed: they are not used", option: "library",
                help: "pipectl gestures calibrate computes them anew")
        }
        return [:]
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
