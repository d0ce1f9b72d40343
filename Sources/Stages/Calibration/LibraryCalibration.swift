import Pipeline

/// Calibrates the acceptance limits of a gesture library for a given share of falsely accepted unknown strokes, and estimates the
/// resulting recognition rates.
///
/// The largest accepted distance of a gesture is the limit that `CloudLimits` learns from the samples, times a factor. By default,
/// the factor is the one that accepted this share of unknown gestures in recordings of people (Wobbrock, Wilson, Li, UIST 2007;
/// Anthony, Wobbrock, GI 2012; three samples of twelve gestures, four gestures unknown). If the caller passes unknown strokes, and
/// the given share of them is at least one stroke, the factor is measured on those strokes instead, separately for gestures of one
/// stroke and of several strokes.
public struct LibraryCalibration: Sendable {
    /// The result for the gestures of one kind: of one stroke, of several strokes, or of hands.
    public struct Kind: Sendable {
        /// The number of gestures in the library that are of this kind, without the none class.
        public var gestures = 0
        /// The factor by which the learned limits are multiplied.
        public var factor = 1.0
        /// Whether the factor was measured on the caller's unknown gestures. Otherwise it comes from recordings of people.
        public var isMeasured = false
        /// Whether the measured factor was larger than allowed, so that ``factor`` is the largest one that is allowed.
        public var isBounded = false
        /// The number of leave-one-out tests: samples that were compared with the rest of the library.
        public var tests = 0
        /// The number of those samples that were recognized and accepted.
        public var accepted = 0
        /// The number of the caller's unknown gestures whose nearest gesture, apart from the none class, is of this kind.
        public var unknownCount = 0
        /// The number of those unknown gestures that were accepted.
        public var unknownAccepted = 0

        /// Chooses the factor, and counts the unknown gestures that it accepts.
        ///
        /// - Parameters:
        ///   - usual: The factor to use if there are too few unknown gestures.
        ///   - ratios: The distances of the unknown gestures, divided by the learned limits; infinite for the none class.
        ///   - share: The share of unknown gestures that may be accepted.
        mutating func decide(_ usual: Double, _ ratios: [Double], _ share: Double) {
            let allowed = Int(share: share, of: ratios.count)
            isMeasured = allowed > 0
            let measured = allowed < ratios.count ? ratios.sorted()[allowed].nextDown : .infinity
            let largest = usual * LibraryCalibration.widest
            isBounded = isMeasured && measured > largest
            factor = isMeasured ? min(measured, largest) : usual
            unknownCount = ratios.count
            unknownAccepted = ratios.count { $0 <= factor }
        }

        /// Counts the result of one leave-one-out comparison.
        mutating func count(_ isAccepted: Bool) {
            tests += 1
            accepted += isAccepted ? 1 : 0
        }
    }

    /// The result for gestures of one stroke.
    public private(set) var oneStroke = Kind()
    /// The result for gestures of several strokes.
    public private(set) var severalStrokes = Kind()
    /// The result for hand gestures.
    public var hands: Kind { ofHands?.kind ?? Kind() }
    private let ofHands: HandCalibration?
    private let falseAccept: Double
    private let fingerprint: UInt64
    /// The largest accepted distance of every stroke gesture, by name.
    private var distances: [String: Double] = [:]

    /// Pairs of a share and the factor at which this share of unknown gestures is accepted in recordings of people, for gestures of
    /// one stroke and of several strokes.
    private static let measuredOfOne: [(share: Double, factor: Double)] = [
        (0.01, 0.85), (0.02, 0.98), (0.05, 1.18), (0.1, 1.4),
    ]
    private static let measuredOfSeveral: [(share: Double, factor: Double)] = [
        (0.01, 0.94), (0.02, 1.03), (0.05, 1.09), (0.1, 1.2),
    ]
    /// The largest ratio of a factor measured on the caller's unknown gestures to the default factor. It is bounded because these
    /// gestures are only a sample of all possible ones.
    package static let widest = 1.3
    /// The maximum number of leave-one-out tests of a library's strokes; for hands, a guide value for each gesture and fold.
    static let mostTests = 100
    /// The smallest number of unknown gestures from which a confidence is fitted.
    static let fewestUnknown = 20

    /// The probability model of a correct match; `nil` if there were too few unknown strokes to fit it, or no gesture with several
    /// samples.
    public private(set) var confidence: MatchConfidence?
    /// The probability model of a correct match for hands.
    public var confidenceOfHands: MatchConfidence? { ofHands?.confidence }

    /// Calibrates a library.
    ///
    /// - Parameters:
    ///   - library: The gestures.
    ///   - falseAccept: The share of unknown gestures that may be accepted, 0.001 to 0.5.
    ///   - unknownStrokes: Unknown strokes, which are none of the gestures.
    ///   - unknownHands: Unknown hands, which show none of the gestures.
    /// - Throws: An error for a library without strokes and hands, and a frame error for a stroke or a hand that cannot be
    ///   compared.
    public init(
        _ library: GestureLibrary, falseAccept: Double, unknownStrokes: [Stroke] = [], unknownHands: [Landmarks] = []
    ) throws {
        (self.falseAccept, fingerprint) = (falseAccept, library.fingerprint)
        let gestures = library.gestures.filter { !$0.samples.isEmpty }
        let ofHands = library.gestures.filter { !$0.hands.isEmpty }
        guard !gestures.isEmpty || !ofHands.isEmpty else {
            throw PipelineError.environment(
                "calibrate.no_samples", "the library has no gesture of strokes or hands",
                help: "only match with the method cloud, which compares strokes, and recognize_hand have such limits")
        }
        self.ofHands =
            ofHands.isEmpty ? nil : try HandCalibration(ofHands, falseAccept: falseAccept, unknown: unknownHands)
        guard !gestures.isEmpty else { return }
        let templates = try gestures.map { try $0.samples.map(GestureCloud.init) }
        var rules = MatchRules(rotationToleranceDeg: 0, maxResults: 1)
        rules.limitFactor = 1
        let matcher = try CloudMatcher(templates: templates, rules: rules)
        let learned = gestures.indices.map { matcher.limit(of: $0, rules) }
        let isOne = templates.map { $0.allSatisfy(\.isOneStroke) }
        // A match with the none class is no recognition, so no stroke is accepted as it.
        let noneClass = gestures.firstIndex { $0.name == rules.noneClass }
        var ratios: (one: [Double], several: [Double]) = ([], [])
        for stroke in unknownStrokes {
            var ranking: [Ranked] = []
            try matcher.rank(stroke, into: &ranking)
            guard let nearest = ranking.first, let gesture = ranking.first(where: { $0.category != noneClass })
            else { continue }
            let ratio = Self.ratio(nearest, limit: learned[nearest.category], noneClass)
            if isOne[gesture.category] { ratios.one.append(ratio) } else { ratios.several.append(ratio) }
        }
        oneStroke.decide(Self.measuredOfOne.factor(falseAccept), ratios.one, falseAccept)
        severalStrokes.decide(Self.measuredOfSeveral.factor(falseAccept), ratios.several, falseAccept)
        for (index, gesture) in gestures.enumerated() {
            distances[gesture.name] = learned[index] * (isOne[index] ? oneStroke.factor : severalStrokes.factor)
            guard index != noneClass else { continue }
            if isOne[index] { oneStroke.gestures += 1 } else { severalStrokes.gestures += 1 }
        }
        let known = try leaveOneOut(gestures, templates, isOne, noneClass)
        let unknown = ratios.one + ratios.several
        guard unknown.count >= Self.fewestUnknown, !known.isEmpty else { return }
        // The weight assumes that one stroke in four is none of the gestures, regardless of the proportion in the recordings.
        let weight = Double(known.count) / 3 / Double(unknown.count)
        confidence = .fitted(to: known + unknown.map { .init(ratio: $0, isRight: false, weight: weight) })
    }

    /// The limits, ready to be stored in the library.
    public var limits: GestureLibrary.Limits {
        GestureLibrary.Limits(
            falseAccept: falseAccept, distances: distances, fingerprint: fingerprint,
            confidence: confidence, hands: ofHands.map { .init(factor: $0.kind.factor, confidence: $0.confidence) })
    }

    /// Cross-validates: compares each sample with the library without that sample, for gestures with several samples.
    ///
    /// A small library is tested completely, a large one with every n-th sample, at most 100.
    ///
    /// - Returns: For each test, the ratio of its nearest gesture, and whether it was the right one.
    private mutating func leaveOneOut(
        _ gestures: [GestureLibrary.Gesture], _ templates: [[GestureCloud]], _ isOne: [Bool], _ noneClass: Int?
    ) throws -> [MatchConfidence.Case] {
        var cases: [MatchConfidence.Case] = []
        var rules = MatchRules(rotationToleranceDeg: 0, maxResults: 1)
        rules.limitFactor = 1
        let places = gestures.indices.flatMap { index in
            index != noneClass && gestures[index].samples.count > 1
                ? gestures[index].samples.indices.map { (index, $0) } : []
        }
        let step = max(1, (places.count + Self.mostTests - 1) / Self.mostTests)
        for (index, sample) in stride(from: 0, to: places.count, by: step).map({ places[$0] }) {
            var others = templates
            others[index].remove(at: sample)
            // The limits are also learned without this sample.
            let matcher = try CloudMatcher(templates: others, rules: rules)
            var ranking: [Ranked] = []
            try matcher.rank(gestures[index].samples[sample], into: &ranking)
            let limit = matcher.limit(of: index, rules) * (isOne[index] ? oneStroke.factor : severalStrokes.factor)
            let isAccepted = ranking.first.map { $0.category == index && $0.distance <= limit } ?? false
            if isOne[index] { oneStroke.count(isAccepted) } else { severalStrokes.count(isAccepted) }
            guard let best = ranking.first else { continue }
            let ratio = Self.ratio(best, limit: matcher.limit(of: best.category, rules), noneClass)
            cases.append(.init(ratio: ratio, isRight: best.category == index && ratio.isFinite, weight: 1))
        }
        return cases
    }

    /// Returns the distance from a gesture divided by its learned limit; infinity for the none class, or if the limit is 0.
    private static func ratio(_ ranked: Ranked, limit: Double, _ noneClass: Int?) -> Double {
        ranked.category != noneClass && limit > 0 ? ranked.distance / limit : .infinity
    }
}
