import Pipeline

/// Computes how far a stroke may be from the gestures of a library, for a share of unknown strokes that may be accepted, and says what
/// to expect.
///
/// A limit is the one that `CloudLimits` learns from the samples, times a factor. Without strokes that are none of the gestures, the
/// factor is the one that let this share of unknown gestures in on recorded people (Wobbrock, Wilson, Li, UIST 2007; Anthony, Wobbrock, GI
/// 2012; three samples of twelve gestures, four gestures unknown). Enough of them, at least one over the share, decide it themselves.
public struct LibraryCalibration: Sendable {
    /// What was found for gestures of one stroke or of several.
    public struct Kind: Sendable {
        /// How many gestures of the library are of this kind.
        public var gestures = 0
        /// By what the limits that are learned were multiplied.
        public var factor = 1.0
        /// Whether the factor was found with strokes that are none of the gestures.
        public var isMeasured = false
        /// How many samples were compared with the library without themselves.
        public var tests = 0
        /// How many of them were recognized and accepted.
        public var accepted = 0
        /// How many strokes that are none of the gestures were nearest to one of this kind.
        public var strangers = 0
        /// How many of them were accepted.
        public var strangersAccepted = 0

        /// Chooses the factor.
        ///
        /// - Parameters:
        ///   - usual: The factor where too few unknown gestures are given.
        ///   - ratios: The distances of unknown gestures, divided by the limits that are learned.
        mutating func decide(_ usual: Double, _ ratios: [Double], _ share: Double) {
            let allowed = Int(share * Double(ratios.count))
            isMeasured = allowed > 0
            factor = isMeasured ? min(ratios.sorted()[allowed].nextDown, usual * LibraryCalibration.widest) : usual
            strangers = ratios.count
            strangersAccepted = ratios.count { $0 <= factor }
        }

        /// Counts a sample that was compared with the library without itself.
        mutating func count(_ isAccepted: Bool) {
            tests += 1
            accepted += isAccepted ? 1 : 0
        }
    }

    /// Gestures of one stroke.
    public private(set) var oneStroke = Kind()
    /// Gestures of several strokes.
    public private(set) var severalStrokes = Kind()
    /// Gestures of hands.
    public var hands: Kind { ofHands?.kind ?? Kind() }
    private let ofHands: HandCalibration?
    private let falseAccept: Double
    private let fingerprint: UInt64
    /// The largest distance of every gesture of strokes, by name.
    private var distances: [String: Double] = [:]

    /// For shares of unknown gestures, the factors that let so many in on recorded people: for gestures of one stroke, and of several.
    private static let measuredOfOne: [(share: Double, factor: Double)] = [
        (0.01, 0.85), (0.02, 0.98), (0.05, 1.18), (0.1, 1.4),
    ]
    private static let measuredOfSeveral: [(share: Double, factor: Double)] = [
        (0.01, 0.94), (0.02, 1.03), (0.05, 1.09), (0.1, 1.2),
    ]
    /// How many times the usual factor one can be that was found with unknown gestures, since these do not cover everything.
    private static let widest = 1.3
    /// How many samples are compared with the library without them.
    static let mostTests = 100
    /// So many strokes that are none of the gestures say how likely a match is right.
    static let fewestStrangers = 20

    /// How likely a match is right, if there were enough strokes that are none of the gestures to say.
    public private(set) var confidence: MatchConfidence?
    /// The same for hands.
    public var confidenceOfHands: MatchConfidence? { ofHands?.confidence }

    /// Calibrates a library.
    ///
    /// - Parameters:
    ///   - library: The gestures.
    ///   - falseAccept: The share of unknown strokes that may be accepted, 0.001 to 0.5.
    ///   - strangers: Strokes that are none of the gestures.
    ///   - hands: Hands that are none of the gestures.
    /// - Throws: An error for a library without strokes and hands, and a frame error for a stroke or a hand that cannot be compared.
    public init(
        _ library: GestureLibrary, falseAccept: Double, strangers: [Stroke] = [], hands: [Landmarks] = []
    ) throws {
        (self.falseAccept, fingerprint) = (falseAccept, library.fingerprint)
        let gestures = library.gestures.filter { !$0.samples.isEmpty }
        let ofHands = library.gestures.filter { !$0.hands.isEmpty }
        guard !gestures.isEmpty || !ofHands.isEmpty else {
            throw PipelineError.environment(
                "calibrate.no_samples", "the library has no gesture of strokes or hands",
                help: "limits are those of match with method cloud, which compares strokes, and of recognize_hand")
        }
        self.ofHands =
            ofHands.isEmpty ? nil : try HandCalibration(ofHands, falseAccept: falseAccept, strangers: hands)
        guard !gestures.isEmpty else { return }
        let templates = try gestures.map { try $0.samples.map(GestureCloud.init) }
        var rules = MatchRules(rotationToleranceDeg: 0, maxResults: 1)
        rules.limitFactor = 1
        let matcher = try CloudMatcher(templates: templates, rules: rules)
        let learned = gestures.indices.map { matcher.limit(of: $0, rules) }
        let isOne = templates.map { $0.allSatisfy(\.isOneStroke) }
        var ratios: (one: [Double], several: [Double]) = ([], [])
        for stroke in strangers {
            var ranking: [Ranked] = []
            try matcher.rank(stroke, into: &ranking)
            guard let best = ranking.first, learned[best.category] > 0 else { continue }
            let ratio = best.distance / learned[best.category]
            if isOne[best.category] { ratios.one.append(ratio) } else { ratios.several.append(ratio) }
        }
        oneStroke.decide(Self.measuredOfOne.factor(falseAccept), ratios.one, falseAccept)
        severalStrokes.decide(Self.measuredOfSeveral.factor(falseAccept), ratios.several, falseAccept)
        for (index, gesture) in gestures.enumerated() {
            distances[gesture.name] = learned[index] * (isOne[index] ? oneStroke.factor : severalStrokes.factor)
            if isOne[index] { oneStroke.gestures += 1 } else { severalStrokes.gestures += 1 }
        }
        let known = try leaveOneOut(gestures, templates, isOne)
        let unknown = ratios.one + ratios.several
        guard unknown.count >= Self.fewestStrangers, !known.isEmpty else { return }
        // One stroke in four is taken to be none of the gestures, whatever was recorded.
        let weight = Double(known.count) / 3 / Double(unknown.count)
        confidence = .fitted(to: known + unknown.map { .init(ratio: $0, isRight: false, weight: weight) })
    }

    /// The limits of the library, to be stored in it.
    public var limits: GestureLibrary.Limits {
        GestureLibrary.Limits(
            falseAccept: falseAccept, distances: distances, fingerprint: fingerprint,
            confidence: confidence, hands: ofHands.map { .init(factor: $0.kind.factor, confidence: $0.confidence) })
    }

    /// Compares samples of gestures that have several with the library without them: all of a small library.
    ///
    /// - Returns: How far the nearest gesture of each was, and whether it was the right one.
    private mutating func leaveOneOut(
        _ gestures: [GestureLibrary.Gesture], _ templates: [[GestureCloud]], _ isOne: [Bool]
    ) throws -> [MatchConfidence.Case] {
        var cases: [MatchConfidence.Case] = []
        var rules = MatchRules(rotationToleranceDeg: 0, maxResults: 1)
        rules.limitFactor = 1
        let places = gestures.indices.flatMap { index in
            gestures[index].samples.count > 1 ? gestures[index].samples.indices.map { (index, $0) } : []
        }
        let step = max(1, (places.count + Self.mostTests - 1) / Self.mostTests)
        for (index, sample) in stride(from: 0, to: places.count, by: step).map({ places[$0] }) {
            var others = templates
            others[index].remove(at: sample)
            // The limits are learned without it as well.
            let matcher = try CloudMatcher(templates: others, rules: rules)
            var ranking: [Ranked] = []
            try matcher.rank(gestures[index].samples[sample], into: &ranking)
            let limit = matcher.limit(of: index, rules) * (isOne[index] ? oneStroke.factor : severalStrokes.factor)
            let isAccepted = ranking.first.map { $0.category == index && $0.distance <= limit } ?? false
            if isOne[index] { oneStroke.count(isAccepted) } else { severalStrokes.count(isAccepted) }
            guard let best = ranking.first, matcher.limit(of: best.category, rules) > 0 else { continue }
            let ratio = best.distance / matcher.limit(of: best.category, rules)
            cases.append(.init(ratio: ratio, isRight: best.category == index, weight: 1))
        }
        return cases
    }
}
