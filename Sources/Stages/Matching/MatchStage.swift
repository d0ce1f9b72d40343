import Pipeline

/// What all matchers share: categories, thresholds, None.
struct MatchStage<Matcher: TemplateMatcher>: Stage {
    typealias Input = Matcher.Query
    typealias Output = Recognition

    private let matcher: Matcher
    private let categories: [Recognition.Category]
    private let rules: MatchRules
    private let mostResults: Int
    private let emitsNone: Bool
    private let keepsSubject: Bool
    private var ranking: [Ranked] = []
    private var output: Recognition

    /// Prepares a library with the stages above and makes the matcher.
    init(
        _ options: some MatcherOptions, _ rules: MatchRules, library: GestureLibrary, _ context: BuildContext
    ) throws {
        var preparation = LibraryPreparation(options, context)
        let prepared = preparation.prepare(library, for: Matcher.self)
        try preparation.throwFirstProblem()
        do {
            matcher = try Matcher(templates: prepared.map(\.templates), rules: rules)
        } catch let error as PipelineError {
            throw PipelineError(.configuration, "match.library", error.message, help: error.help)
        }
        categories = prepared.map(\.category)
        self.rules = rules
        mostResults = options.maxResults < 0 ? .max : options.maxResults
        emitsNone = options.emitNone
        keepsSubject = options.subject
        output = Recognition(categories: [], margin: 0, matcher: Matcher.name(rules))
    }

    // The engine calls stages through their protocol, which reaches generic code only: every frame would cost look-ups of
    // type metadata.
    @_specialize(where Matcher == ProtractorMatcher)
    @_specialize(where Matcher == DollarOneMatcher)
    mutating func process(_ frame: Frame<Input>, into emitter: borrowing Emitter<Recognition>) throws {
        ranking.removeAll(keepingCapacity: true)
        try matcher.rank(frame.payload, into: &ranking)
        output.categories.removeAll(keepingCapacity: true)
        for ranked in ranking {
            guard output.categories.count < mostResults, isMatch(ranked) else { break }
            var category = categories[ranked.category]
            category.score = ranked.score
            output.categories.append(category)
        }
        if output.categories.isEmpty {
            guard emitsNone else { return emitter.drop("no_match") }
            output.categories.append(.none)
            output.margin = 0
        } else {
            output.margin = ranking[0].score - (ranking.count > 1 ? ranking[1].score : 0)
        }
        output.start = frame.payload.start
        output.end = frame.payload.end
        output.label = frame.payload.label
        if keepsSubject { output.subject = frame.payload.matchedSubject }
        emitter.emit(output)
        if keepsSubject { output.subject = nil }
    }

    private func isMatch(_ ranked: Ranked) -> Bool {
        ranked.score >= rules.scoreThreshold
            && (!Matcher.comparesAngles || ranked.distance <= rules.thresholdRad)
    }
}
