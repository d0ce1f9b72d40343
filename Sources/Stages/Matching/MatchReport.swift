import Pipeline

/// Converts a ranking into the content of a recognition: the categories that match, or None.
struct MatchReport: Sendable {
    private let categories: [Recognition.Category]
    private let rules: MatchRules
    /// The largest distance that is a match, by category.
    private let limits: [Double]
    private let mostResults: Int
    /// The function that estimates the confidence from a distance divided by a limit, and these limits, by category; `nil` if
    /// the confidence is unknown.
    private let confidence: (function: MatchConfidence, limits: [Double])?
    /// The index of the class for unknown gestures; −1 if there is no such class.
    private let noneClass: Int

    /// - Parameters:
    ///   - categories: The categories. Rankings refer to them by index.
    ///   - rules: The rules by which categories match.
    ///   - limits: The largest distance that is a match, by category.
    ///   - confidence: The function that estimates the confidence from a distance divided by a limit, and these limits, by
    ///     category.
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

    /// Sets the matching categories (or None), the margin and the confidence of a recognition. O(categories).
    func fill(
        _ output: inout Recognition, from ranking: [Ranked], _ lists: inout ReusedArrays<Recognition.Category>
    ) {
        let margin = ranking.isEmpty ? 0 : ranking[0].score - (ranking.count > 1 ? ranking[1].score : 0)
        var count = 0
        // The result is None if the class for unknown gestures is nearest, or if the margin between the two nearest categories is
        // too small.
        if let best = ranking.first, margin >= rules.minMargin, best.category != noneClass, isMatch(best) {
            for ranked in ranking where count < mostResults && isReported(ranked) { count += 1 }
        }
        output.categories = lists.array(of: max(1, count)) { list in
            guard count > 0 else { return list[0].become(.none, 0) }
            var place = 0
            for ranked in ranking where place < count && isReported(ranked) {
                list[place].become(categories[ranked.category], ranked.score)
                place += 1
            }
        }
        output.margin = count == 0 ? 0 : margin
        output.confidence = confidence(in: ranking, isNone: count == 0)
    }

    /// Returns the probability that the result for a ranking is right.
    private func confidence(in ranking: [Ranked], isNone: Bool) -> Double? {
        // If the class for unknown gestures is nearest, the most likely gesture is the next category.
        let isOfNone = ranking.first?.category == noneClass
        guard let (function, limits) = confidence, let best = ranking.dropFirst(isOfNone ? 1 : 0).first,
            limits[best.category] > 0
        else { return nil }
        let probability = function.probability(at: best.distance / limits[best.category])
        return isNone ? ((1 - probability) * 10_000).rounded() / 10_000 : probability
    }

    private func isReported(_ ranked: Ranked) -> Bool { isMatch(ranked) && ranked.category != noneClass }

    private func isMatch(_ ranked: Ranked) -> Bool {
        ranked.score >= rules.scoreThreshold && ranked.distance <= limits[ranked.category]
    }
}

extension Recognition.Category {
    /// Takes over another category, with this score.
    // Comparing texts takes less time than copying them. Of one library, categories with the same index are the same.
    fileprivate mutating func become(_ other: Self, _ score: Double) {
        if index != other.index || name != other.name || displayName != other.displayName { self = other }
        self.score = score
    }
}
