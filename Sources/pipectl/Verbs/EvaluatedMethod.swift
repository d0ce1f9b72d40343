import Pipeline
import Stages

/// A matcher with the stages that its paper puts before it, as the flags of `eval` say it.
enum EvaluatedMethod: String, CaseIterable, Sendable {
    case cloud, protractor, dollar1, bitmap, cosine, euclidean

    private static let points = Flag.integer(
        "points", in: 2...65_536, defaultText: "64 for dollar1, 16 for others",
        "Resamples strokes to N points; motions are compared as they are without it")
    private static let tolerance = Flag.positive(
        "rotation-tolerance", placeholder: "DEG",
        "How far a stroke may be turned to fit; without it, protractor turns any way and cloud not at all")
    private static let score = Flag<MatchBitmap.Score>.choice("score", default: .dice, "How bitmaps are compared")
    private static let layout = Flag<Vectorize.Layout>.choice(
        "layout", default: .distances, "What of hands is compared: xy the coordinates, distances the shape alone")
    private static let rotation = Flag.integer(
        "rotate-limit", placeholder: "DEG", in: 0...180, defaultText: "0", "Turns hands upright, by so much at most")
    private static let neighbours = Flag.integer(
        "neighbours", in: 1...1000, defaultText: "1",
        "Counts the N nearest samples of a class; for cosine and euclidean")

    /// All its flags.
    static let flags = [
        points.description, tolerance.description, score.description, layout.description, rotation.description,
        neighbours.description,
    ]

    /// What is evaluated.
    ///
    /// - Parameters:
    ///   - ofHands: Whether the data holds hands.
    ///   - ofMotions: Whether it holds motions, whose place and size count.
    /// - Throws: A usage error for a flag that means nothing here.
    func evaluation(
        _ invocation: Invocation, _ options: Evaluation.Options, ofHands: Bool, _ ofMotions: Bool
    ) throws -> Evaluation {
        guard ofHands == false || self == .cosine || self == .euclidean else {
            throw UsageError("\(rawValue) compares strokes, and the data holds hands", help: "use cosine or euclidean")
        }
        try refuse(unused(ofHands: ofHands), in: invocation)
        switch self {
        case .cloud:
            return Evaluation(stages: [], match: match(.cloud, invocation), options: options)
        case .protractor:
            return Evaluation(
                stages: [
                    Resample(points: invocation[Self.points] ?? 16), Normalize(scale: .none), Vectorize(),
                ], match: match(.protractor, invocation), options: options)
        case .dollar1:
            return Evaluation(
                stages: [Resample(points: invocation[Self.points] ?? 64), Normalize(rotate: .indicative)],
                match: match(.dollar1, invocation), options: options)
        case .bitmap:
            var match = MatchBitmap.Options()
            if let score = invocation[Self.score] { match.score = score }
            return Evaluation(matchBitmap: match, options: options)
        case .cosine, .euclidean:
            let stages = ofHands ? try handStages(invocation) : try strokeStages(invocation, ofMotions)
            return Evaluation(
                stages: stages, match: match(self == .cosine ? .cosine : .euclidean, invocation), options: options)
        }
    }

    private func handStages(_ invocation: Invocation) throws -> [any Stage] {
        var normalize = NormalizeHand.Options()
        normalize.rotateLimitDeg = Double(invocation[Self.rotation] ?? 0)
        normalize.mirrorTo = .right
        var vectorize = Vectorize.Options()
        vectorize.layout = invocation[Self.layout] ?? .distances
        return [NormalizeHand.stage(normalize), try Vectorize.landmarks(vectorize)]
    }

    private func strokeStages(_ invocation: Invocation, _ ofMotions: Bool) throws -> [any Stage] {
        var vectorize = Vectorize.Options()
        vectorize.unitLength = !ofMotions
        let stages: [any Stage] = [
            Normalize(translate: ofMotions ? .first : .centroid, scale: .none),
            try Vectorize(vectorize, BuildContext()),
        ]
        guard let points = invocation[Self.points] ?? (ofMotions ? nil : 16) else { return stages }
        return [Resample(points: points)] + stages
    }

    private func match(_ method: Match.Method, _ invocation: Invocation) -> Match.Options {
        var options = Match.Options()
        options.method = method
        options.rotationToleranceDeg = invocation[Self.tolerance] ?? (method == .cloud ? 0 : 180)
        options.neighbours = invocation[Self.neighbours] ?? 1
        return options
    }

    private func unused(ofHands: Bool) -> [FlagDescription] {
        let ofNeighbours = [Self.layout.description, Self.rotation.description, Self.neighbours.description]
        switch self {
        case .cloud: return [Self.points.description, Self.score.description] + ofNeighbours
        case .protractor, .dollar1: return [Self.score.description] + ofNeighbours
        case .bitmap: return [Self.points.description, Self.tolerance.description] + ofNeighbours
        case .cosine, .euclidean:
            return [Self.tolerance.description, Self.score.description]
                + (ofHands ? [Self.points.description] : [Self.layout.description, Self.rotation.description])
        }
    }

    private func refuse(_ flags: [FlagDescription], in invocation: Invocation) throws {
        for flag in flags where invocation.values[flag.name] != nil {
            throw UsageError("--\(flag.name) means nothing for --method=\(rawValue)")
        }
    }
}
