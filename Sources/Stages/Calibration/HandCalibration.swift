/// Calibrates the acceptance limits for hands, as ``LibraryCalibration`` does for strokes.
///
/// The result is the factor by which the limits that a matcher learns are multiplied. Hands are compared in the same way as in
/// `recognize_hand` with default options.
struct HandCalibration {
    /// Pairs of a share and the factor at which this share of unknown gestures is accepted. Measured on the hands of kinivi's
    /// hand-gesture-recognition-mediapipe (three of its four gestures known, one to hundreds of samples of each).
    private static let measured: [(share: Double, factor: Double)] = [
        (0.01, 0.8), (0.02, 0.86), (0.05, 1), (0.1, 1.12), (0.2, 1.3),
    ]
    private static let folds = 5

    private(set) var kind = LibraryCalibration.Kind()
    private(set) var confidence: MatchConfidence?
    private let names: [String]
    private let vectors: [[FeatureVector]]
    private let noneClass: Int?

    /// - Throws: A frame error for a hand that cannot be compared.
    init(
        _ gestures: [GestureLibrary.Gesture], falseAccept: Double, unknown: [Landmarks]
    ) throws {
        var comparison = try HandComparison(CustomGestureOptions())
        func vector(_ hand: Landmarks) throws -> FeatureVector {
            var vector = FeatureVector(values: [])
            try comparison.vector(of: hand, into: &vector.values)
            return vector
        }
        names = gestures.map(\.name)
        vectors = try gestures.map { try $0.hands.map(vector) }
        noneClass = names.firstIndex(of: MatchRules().noneClass)
        kind.gestures = gestures.count - (noneClass == nil ? 0 : 1)
        let found = try compare(unknown.map(vector), with: vectors)
        kind.decide(Self.measured.factor(falseAccept), found.map(\.ratio), falseAccept)
        let known = try leaveOut()
        guard found.count >= LibraryCalibration.fewestUnknown, !known.isEmpty else { return }
        // The weight assumes that one hand in four is none of the gestures, regardless of the proportion in the recordings.
        let weight = Double(known.count) / 3 / Double(found.count)
        confidence = .fitted(
            to: known + found.map { .init(ratio: $0.ratio, isRight: false, weight: weight) }, from: .hands)
    }

    /// Returns, for each hand, the index of the nearest gesture, and the distance from it in units of the learned limit.
    ///
    /// A hand whose nearest gesture is the none class gets the index −1 and an infinite distance. If the learned limit is 0, only
    /// the distance is infinite.
    private func compare(
        _ hands: [FeatureVector], with templates: [[FeatureVector]]
    ) throws -> [(category: Int, ratio: Double)] {
        guard !hands.isEmpty else { return [] }
        let rules = MatchRules(maxResults: 1, limitFactor: 1)
        let matcher = try VectorMatcher<CosineMetric>(templates: templates, rules: rules)
        return try hands.map { hand in
            var ranking: [Ranked] = []
            try matcher.rank(hand, into: &ranking)
            guard let best = ranking.first, best.category != noneClass else { return (-1, .infinity) }
            let limit = matcher.limit(of: best.category, rules)
            return (best.category, limit > 0 ? best.distance / limit : .infinity)
        }
    }

    /// Cross-validates: compares one fifth of the samples of every gesture at a time with the rest.
    ///
    /// The fifths are contiguous: neighboring samples of a recording are nearly identical, so they must not be test and template.
    private mutating func leaveOut() throws -> [MatchConfidence.Case] {
        var cases: [MatchConfidence.Case] = []
        for fold in 0..<Self.folds {
            func isOut(_ place: Int, of count: Int) -> Bool {
                count > 1 && place * min(Self.folds, count) / count == fold
            }
            func part(_ isLeftOut: Bool) -> [[FeatureVector]] {
                vectors.map { all in
                    all.indices.filter { isOut($0, of: all.count) == isLeftOut }.map { all[$0] }
                }
            }
            let rest = part(false)
            for (category, tests) in part(true).enumerated() where category != noneClass {
                let step = max(1, tests.count / LibraryCalibration.mostTests)
                for found in try compare(stride(from: 0, to: tests.count, by: step).map { tests[$0] }, with: rest) {
                    let isRight = found.category == category && found.ratio.isFinite
                    kind.count(isRight && found.ratio <= kind.factor)
                    cases.append(.init(ratio: found.ratio, isRight: isRight, weight: 1))
                }
            }
        }
        return cases
    }
}

extension [(share: Double, factor: Double)] {
    /// Returns the factor for a share, linearly interpolated between the measured factors.
    func factor(_ share: Double) -> Double {
        guard let first, let last else { return 1 }
        if share <= first.share { return first.factor }
        for (low, high) in zip(self, dropFirst()) where share <= high.share {
            return low.factor + (share - low.share) / (high.share - low.share) * (high.factor - low.factor)
        }
        return last.factor
    }
}
