import Pipeline

/// What a recognition says of a ranking: the categories that match, or None.
struct MatchReport: Sendable {
    private let categories: [Recognition.Category]
    private let rules: MatchRules
    /// By category: the largest distance that is a match.
    private let limits: [Double]
    private let mostResults: Int
    /// How likely the nearest category is right, and the limits that it is told by; `nil` when that is not known.
    private let confidence: (function: MatchConfidence, limits: [Double])?
    /// Where the class stands that means none of the others; −1 when there is none.
    private let noneClass: Int

    /// - Parameters:
    ///   - categories: By their places in rankings.
    ///   - limits: The largest distance of each that is a match.
    init(
        _ categories: [Recognition.Category], _ rules: MatchRules, limits: [Double],
        confidence: (function: MatchConfidence, limits: [Double])?
    ) {
        self.confidence = confidence
        self.categories = categories
        self.rules = rules
        self.limits = limits
        mostResults = rules.maxResults < 0 ? .max : rules.maxResults
        noneClass = categories.firstIndex { $0.name == rules.noneClass } ?? -1
    }

    /// Puts the categories that match, or None, and the margin into a recognition. O(categories).
    func fill(_ output: inout Recognition, from ranking: [Ranked]) {
        let margin = ranking.isEmpty ? 0 : ranking[0].score - (ranking.count > 1 ? ranking[1].score : 0)
        var count = 0
        // What is nearest to that class, or lies between two categories, is none of them.
        if let best = ranking.first, margin >= rules.minMargin, best.category != noneClass, isMatch(best) {
            for ranked in ranking {
                guard count < mostResults else { break }
                guard isMatch(ranked), ranked.category != noneClass else { continue }
                Self.put(categories[ranked.category], ranked.score, at: count, &output.categories)
                count += 1
            }
        }
        if count == 0 { Self.put(.none, 0, at: 0, &output.categories) }
        output.margin = count == 0 ? 0 : margin
        output.confidence = confidence(in: ranking, isNone: count == 0)
        let spare = output.categories.count - max(1, count)
        if spare > 0 { output.categories.removeLast(spare) }
    }

    /// How likely what is said of a ranking is right.
    private func confidence(in ranking: [Ranked], isNone: Bool) -> Double? {
        // What is nearest to the class that means none of the others could at most be the next one.
        let isOfNone = ranking.first?.category == noneClass
        guard let (function, limits) = confidence, let best = ranking.dropFirst(isOfNone ? 1 : 0).first,
            limits[best.category] > 0
        else { return nil }
        let probability = function.probability(at: best.distance / limits[best.category])
        return isNone ? ((1 - probability) * 10_000).rounded() / 10_000 : probability
    }

    /// Replaces a category, or adds it at the end.
    private static func put(
        _ category: Recognition.Category, _ score: Double, at place: Int, _ list: inout [Recognition.Category]
    ) {
        if place == list.count {
            list.append(category)
        } else {
            list[place] = category
        }
        list[place].score = score
    }

    private func isMatch(_ ranked: Ranked) -> Bool {
        ranked.score >= rules.scoreThreshold && ranked.distance <= limits[ranked.category]
    }
}
