import Pipeline
import PipelineComponents

/// Explains the results of a matcher on request. It keeps the options and the library of the matcher, and creates matchers without
/// limits from them.
final class MatchExplainer: Sendable {
    private let options: any MatcherOptions
    private let rules: MatchRules
    private let library: GestureLibrary
    private let upstream: PureRun
    /// The maximum number of gestures that an explanation lists.
    private static var most: Int { 5 }

    init(_ options: any MatcherOptions, _ rules: MatchRules, _ library: GestureLibrary, _ context: BuildContext) {
        (self.options, self.rules, self.library, upstream) = (options, rules, library, context.upstream)
    }

    /// The rules of the matcher without its thresholds and limits, so that every gesture is ranked.
    private var wide: MatchRules {
        var rules = rules
        (rules.scoreThreshold, rules.maxResults, rules.limitFactor) = (0, -1, nil)
        (rules.maxDistance, rules.thresholdRad) = (.infinity, .infinity)
        return rules
    }

    /// Returns the gestures nearest to a query, and why the nearest one is accepted or rejected. This prepares the library again,
    /// so it takes about as long as creating the matcher.
    func answer<Matcher: TemplateMatcher>(
        to query: Matcher.Query, by: Matcher.Type, _ classifier: GestureClassifier<Matcher>
    ) throws -> MatchExplanation {
        var preparation = LibraryPreparation(options, BuildContext(upstream: upstream))
        let prepared = preparation.prepare(library, for: Matcher.self)
        var (said, memory) = (Recognition(categories: [], margin: 0, matcher: ""), MatchMemory())
        try classifier.recognize(query, &memory, into: &said)
        var ranking: [Ranked] = []
        try Matcher(templates: prepared.map(\.templates), rules: wide).rank(query, into: &ranking)
        let candidates = try ranking.prefix(Self.most).map { ranked in
            let gesture = prepared[ranked.category]
            return MatchExplanation.Candidate(
                label: gesture.category.name, score: ranked.score, distance: ranked.distance,
                limit: classifier.limit(of: ranked.category),
                sample: try sample(of: gesture, nearest: query, by: Matcher.self))
        }
        let margin = (candidates.first?.score ?? 0) - (candidates.count > 1 ? candidates[1].score : 0)
        return MatchExplanation(
            candidates: candidates, scoreThreshold: rules.scoreThreshold, minMargin: rules.minMargin, margin: margin,
            isAccepted: said.best.index >= 0, sentence: sentence(said, candidates, margin),
            preparedFrom: upstream.above)
    }

    /// Returns the sample of a gesture that is nearest to a query.
    private func sample<Matcher: TemplateMatcher>(
        of gesture: LibraryPreparation.Prepared<Matcher.Template>, nearest query: Matcher.Query, by: Matcher.Type
    ) throws -> (number: Int, payload: any Payload)? {
        // Rank each sample by itself, as if it were a gesture.
        var ranking: [Ranked] = []
        try Matcher(templates: gesture.templates.map { [$0] }, rules: wide).rank(query, into: &ranking)
        guard let nearest = ranking.first?.category, library.gestures.indices.contains(gesture.category.index) else {
            return nil
        }
        let samples = library.gestures[gesture.category.index]
        let all = samples.samples as [any Payload] + samples.hands as [any Payload]
        // If a sample was refused, the indices of templates and samples differ.
        guard all.count + samples.patterns.count == gesture.templates.count, all.indices.contains(nearest) else {
            return nil
        }
        return (nearest, all[nearest])
    }

    private func sentence(_ said: Recognition, _ candidates: [MatchExplanation.Candidate], _ margin: Double) -> String {
        func number(_ value: Double) -> String { shortDecimal((value * 1000).rounded() / 1000) }
        guard let best = candidates.first else { return "Rejected: the library contains no gesture to compare with." }
        let ahead = candidates.count > 1 ? ", \(number(margin)) ahead of the next (\(candidates[1].label))" : ""
        let near = "\(best.label) with the score \(number(best.score))"
        if said.best.index >= 0 {
            let limit =
                best.limit < .infinity
                ? ", and its distance \(number(best.distance)) is within \(number(best.limit))" : ""
            return "Accepted as \(said.best.name): the nearest is \(near)\(ahead)\(limit)."
        }
        if best.label == rules.noneClass {
            return "Rejected: the nearest is \(near), and \(best.label) is the class for unknown gestures."
        }
        if best.score < rules.scoreThreshold {
            return "Rejected: the nearest is \(near), and score_threshold is \(number(rules.scoreThreshold))."
        }
        if margin < rules.minMargin {
            return "Rejected: the nearest is \(near)\(ahead), and min_margin is \(number(rules.minMargin))."
        }
        return
            "Rejected: the nearest is \(near), but its distance \(number(best.distance)) is more than the \(number(best.limit)) that this gesture allows."
    }
}
