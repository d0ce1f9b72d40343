import Pipeline

/// What all methods of `match` share: categories, thresholds, None.
struct MatchStage<Matcher: TemplateMatcher>: Stage {
    typealias Input = Matcher.Query
    typealias Output = Recognition

    private let matcher: Matcher
    private let categories: [Recognition.Category]
    private let options: Match.Options
    private let mostResults: Int
    private var ranking: [Ranked] = []
    private var output: Recognition

    /// Prepares a library with the stages above and makes the matcher.
    init(_ options: Match.Options, library: GestureLibrary, _ context: BuildContext) throws {
        var preparation = LibraryPreparation(options, context)
        let prepared = preparation.prepare(library, as: Matcher.Query.self)
        try preparation.throwFirstProblem()
        let matcher: Matcher
        do {
            matcher = try Matcher(templates: prepared.map(\.templates), rules: options.rules)
        } catch let error as PipelineError {
            throw PipelineError(.configuration, "match.library", error.message, help: error.help)
        }
        self.init(options, matcher: matcher, categories: prepared.map(\.category))
    }

    /// Makes the stage of a matcher that is ready.
    init(_ options: Match.Options, matcher: Matcher, categories: [Recognition.Category]) {
        self.matcher = matcher
        self.categories = categories
        self.options = options
        mostResults = options.maxResults < 0 ? .max : options.maxResults
        output = Recognition(categories: [], margin: 0, matcher: Matcher.name)
    }

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
            guard options.emitNone else { return emitter.drop("no_match") }
            output.categories.append(.none)
            output.margin = 0
        } else {
            output.margin = ranking[0].score - (ranking.count > 1 ? ranking[1].score : 0)
        }
        output.start = frame.payload.start
        output.end = frame.payload.end
        output.label = frame.payload.label
        if options.subject { output.subject = frame.payload.matchedSubject }
        emitter.emit(output)
        if options.subject { output.subject = nil }
    }

    private func isMatch(_ ranked: Ranked) -> Bool {
        ranked.score >= options.scoreThreshold
            && (!Matcher.comparesAngles || ranked.distance <= options.thresholdRad)
    }
}
