import Connectors
import Pipeline
import PipelineComponents
import PipelineConfiguration
import Stages

/// A matcher that `eval --method` evaluates without a configuration, after the stages that the matcher's paper prescribes.
enum EvaluatedMethod: String, CaseIterable, Sendable {
    case cloud, protractor, dollar1, bitmap, cosine, euclidean

    private static let points = Flag.integer(
        "points", in: 2...65_536, defaultText: "64 for dollar1, 16 for others",
        "Resamples strokes to N points; without this flag, motions are compared unchanged")
    private static let tolerance = Flag<Double>.parsed(
        "rotation-tolerance", placeholder: "DEG", wanted: "a number from 0 to 180",
        "The largest angle by which a stroke is rotated to fit a template (rotation_tolerance_deg of match)"
    ) { Double($0).flatMap { (0...180).contains($0) ? $0 : nil } }
    private static let score = Flag<MatchBitmap.Score>.choice(
        "score", default: .dice, "The measure that compares bitmaps")
    private static let layout = Flag<Vectorize.Layout>.choice(
        "layout", default: .distances,
        "The features of hands to compare: xy for the coordinates, distances for the shape only")
    private static let rotation = Flag.integer(
        "rotate-limit", placeholder: "DEG", in: 0...180, defaultText: "0", "Turns hands upright, by at most this angle")
    private static let neighbours = Flag.integer(
        "neighbours", in: 1...1000, defaultText: "by their number",
        "Counts the N nearest samples of a class; for cosine and euclidean")

    /// The flags that set options of methods.
    static let flags = [
        points.description, tolerance.description, score.description, layout.description, rotation.description,
        neighbours.description,
    ]

    /// Returns a pipeline with the method's matcher and the stages before it.
    ///
    /// - Parameters:
    ///   - ofHands: Whether the data contains hands.
    ///   - ofMotions: Whether the data contains motions, for which position and size matter.
    /// - Throws: A usage error for hands if the method compares strokes, and for a flag that has no effect on this method.
    func pipeline(_ invocation: Invocation, ofHands: Bool, ofMotions: Bool) throws -> EvaluatedPipeline {
        guard ofHands == false || self == .cosine || self == .euclidean else {
            throw UsageError(
                "\(rawValue) compares strokes, but the data contains hands", help: "use cosine or euclidean")
        }
        try refuse(unused(ofHands: ofHands), in: invocation)
        let loaded = PipelineLoader(registry: .evaluated).load(
            text: configuration(invocation, ofHands, ofMotions), name: rawValue)
        guard let plan = loaded.plan else {
            throw PipelineError(
                .configuration, "eval.method", loaded.diagnostics.first?.message ?? "\(rawValue) cannot be evaluated")
        }
        var pipeline = try EvaluatedPipeline(plan)
        pipeline.name = ""
        return pipeline
    }

    /// Returns the configuration that the flags describe.
    private func configuration(_ invocation: Invocation, _ ofHands: Bool, _ ofMotions: Bool) -> String {
        var match = ["library: none.json"]
        if self == .bitmap {
            if let score = invocation[Self.score] { match.append("score: \(score.rawValue)") }
        } else {
            match.append("method: \(rawValue)")
        }
        if let tolerance = invocation[Self.tolerance] { match.append("rotation_tolerance_deg: \(tolerance)") }
        // `recognize_hand` uses the same factor for its limits.
        if ofHands { match.append("limit_factor: 1") }
        if let neighbours = invocation[Self.neighbours] { match.append("neighbours: \(neighbours)") }
        var stages = ofHands ? handStages(invocation) : strokeStages(invocation, ofMotions)
        stages.append("\(self == .bitmap ? "match_bitmap" : "match"): { \(match.joined(separator: ", ")) }")
        return """
            version: 1
            sources: [ stdin: { kind: \(ofHands ? "landmarks" : "stroke") } ]
            stages:
            \(stages.map { "  - \($0)" }.joined(separator: "\n"))
            sinks: [ stdout ]
            """
    }

    private func handStages(_ invocation: Invocation) -> [String] {
        let layout = invocation[Self.layout] ?? .distances
        return [
            "normalize_hand: { mirror_to: right, rotate_limit_deg: \(invocation[Self.rotation] ?? 0) }",
            "vectorize: { layout: \(layout.rawValue) }",
        ]
    }

    private func strokeStages(_ invocation: Invocation, _ ofMotions: Bool) -> [String] {
        let points = invocation[Self.points]
        switch self {
        case .cloud: return []
        case .bitmap: return ["rasterize"]
        case .dollar1: return ["resample: { points: \(points ?? 64) }", "normalize: { rotate: indicative }"]
        case .protractor, .cosine, .euclidean:
            let resample =
                points.map { ["resample: { points: \($0) }"] } ?? (ofMotions ? [] : ["resample: { points: 16 }"])
            return resample + [
                "normalize: { translate: \(ofMotions ? "first" : "centroid"), scale: none }",
                "vectorize: { unit_length: \(!ofMotions) }",
            ]
        }
    }

    /// Returns the flags that have no effect on this method.
    private func unused(ofHands: Bool) -> [FlagDescription] {
        let ofNeighbours = [Self.layout.description, Self.rotation.description, Self.neighbours.description]
        switch self {
        case .cloud: return [Self.points.description, Self.score.description] + ofNeighbours
        case .protractor: return [Self.score.description] + ofNeighbours
        case .dollar1: return [Self.tolerance.description, Self.score.description] + ofNeighbours
        case .bitmap: return [Self.points.description, Self.tolerance.description] + ofNeighbours
        case .cosine, .euclidean:
            return [Self.tolerance.description, Self.score.description]
                + (ofHands ? [Self.points.description] : [Self.layout.description, Self.rotation.description])
        }
    }

    private func refuse(_ flags: [FlagDescription], in invocation: Invocation) throws {
        for flag in flags where invocation.values[flag.name] != nil {
            throw UsageError("--\(flag.name) has no effect with --method=\(rawValue)")
        }
    }
}
