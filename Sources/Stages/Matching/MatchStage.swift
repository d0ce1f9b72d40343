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
    @_specialize(where Matcher == BitmapMatcher)
    mutating func process(_ frame: Frame<Input>, into emitter: borrowing Emitter<Recognition>) throws {
        // One copy of the payload, not one for every property.
        let query = frame.payload
        ranking.removeAll(keepingCapacity: true)
        try matcher.rank(query, into: &ranking)
        report()
        if output.best.index < 0, !emitsNone { return emitter.drop("no_match") }
        output.start = query.start
        output.end = query.end
        output.label = query.label
        if keepsSubject { output.subject = query.matchedSubject }
        emitter.emit(output)
        if keepsSubject { output.subject = nil }
    }

    /// Puts the categories that match, or None, into the output.
    private mutating func report() {
        var count = 0
        for ranked in ranking {
            guard count < mostResults, isMatch(ranked) else { break }
            put(categories[ranked.category], ranked.score, at: count)
            count += 1
        }
        if count == 0 {
            put(.none, 0, at: 0)
            output.margin = 0
        } else {
            output.margin = ranking[0].score - (ranking.count > 1 ? ranking[1].score : 0)
        }
        let spare = output.categories.count - max(1, count)
        if spare > 0 { output.categories.removeLast(spare) }
    }

    /// Replaces a category of the output, or adds it at the end.
    private mutating func put(_ category: Recognition.Category, _ score: Double, at place: Int) {
        if place == output.categories.count {
            output.categories.append(category)
        } else {
            output.categories[place] = category
        }
        output.categories[place].score = score
    }

    private func isMatch(_ ranked: Ranked) -> Bool {
        ranked.score >= rules.scoreThreshold
            && (!Matcher.comparesAngles || ranked.distance <= rules.thresholdRad)
    }
}
